// Screenshots of the built page in a folder: `node browser/screenshots.mjs FOLDER`.

import { join } from "node:path";
import { browse, serve } from "./serve.mjs";

const folder = process.argv[2] ?? "target";
const server = await serve(new URL("../dist", import.meta.url).pathname);
const browser = await browse();
for (const [name, scheme, width, height] of [["light", "light", 1400, 900], ["dark", "dark", 1400, 900], ["phone", "light", 390, 844]]) {
  const page = await browser.context.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(server.url + "#example=first&line=7");
  await page.waitForFunction(() => document.body.dataset.explained === "7", null, { timeout: 20000 }).catch(() => console.log(`${name}: not explained`));
  for (const tab of ["result", "why", "tree", "code", "rules"]) {
    await page.click("#tab-" + tab);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${name}-${tab}.png`), fullPage: width < 700 });
  }
  // A wrong rule.
  await page.click("#tab-result");
  await page.click("#rules-editor .cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("def Wrong : Pat<(NegOp (NoOp $x)), (ZeroOp $y)>;");
  await page.waitForSelector("#rules-editor .cm-lintRange-error");
  await page.screenshot({ path: join(folder, `${name}-wrong.png`), fullPage: width < 700 });
  await page.close();
}
await browser.close();
server.close();
