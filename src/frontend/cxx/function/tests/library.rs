//! Compares functions of LLVM's and C++'s libraries with the results of programs that g++ compiles.

use super::{pair, returns};

/// Statements before each text. `add` and the other lambdas hash the numbers, floats and strings of a text.
const PRELUDE: &str = "
  uint64_t hash = 7;
  auto add = [&](int64_t x) { hash = hash * 31 + uint64_t(x); };
  auto num = [&](const APInt &x) { add(x.getBitWidth()); add(x.sextOrTrunc(64).getSExtValue()); };
  auto flt = [&](const APFloat &x) { num(x.bitcastToAPInt()); };
  auto str = [&](StringRef x) { for (char c : x) add(c); add(x.size()); };
";

/// Texts and the hashes of their values in C++.
const CASES: &[(&str, i64)] = &[
    (
        r#"bool ov; APInt p(8, 100), q(8, 1); num(p.sshl_ov(q, ov)); add(ov); num(p.ushl_ov(q, ov)); add(ov);
         num(p.sshl_ov(0u, ov)); add(ov); num(p.sshl_sat(q)); num(p.ushl_sat(APInt(8, 2)));
         num(APInt(8, 200).sshl_ov(9, ov)); add(ov); num(APInt(8,-2,true).sshl_sat(APInt(8,7)));"#,
        71_842_840,
    ),
    (
        r#"add(APInt(8, 0).isNonPositive()); add(APInt(8, -3, true).isNonPositive());
         add(APInt(8, 3).isNonPositive());"#,
        209_529,
    ),
    (
        r#"APInt q, r; APInt::sdivrem(APInt(16, -100, true), APInt(16, 7), q, r); num(q); num(r);
         APInt::udivrem(APInt(16, 100), APInt(16, 7), q, r); num(q); num(r);"#,
        470_701_525,
    ),
    (
        r#"APInt q; int64_t r; APInt::sdivrem(APInt(16, -100, true), 7, q, r); num(q); add(r); uint64_t u;
         APInt::udivrem(APInt(16, 100), 7, q, u); num(q); add(u);"#,
        657_619_077,
    ),
    (
        r#"SmallString<16> s; APInt(16, -100, true).toString(s, 10, true); str(s); SmallString<8> t;
         APInt(16, 255).toStringUnsigned(t, 16); str(t); APInt(8, -7, true).toStringSigned(t); str(t);
         str(llvm::toString(APInt(8, 200), 2, false));"#,
        287_717_737,
    ),
    (
        r#"SmallString<8> t; APInt(16, 255).toString(t, 16, false, true); str(t);
         str(llvm::toString(APInt(8, 5), 10, true)); str(llvm::toString(APSInt(APInt(8, 200), true), 10));
         str(llvm::toString(APSInt(APInt(8, 200), false), 10)); "#,
        667_014_110,
    ),
    (
        r#"SmallString<8> t; APSInt(APInt(8,200),false).toString(t, 10); str(t); SmallString<8> u;
         APSInt(APInt(8,200),true).toString(u); str(u);"#,
        892_823_269,
    ),
    (
        r#"APInt p(32, 12); add(p.nearestLogBase2()); add(p.ceilLogBase2()); add(p.logBase2());
         add(p.exactLogBase2()); num(p.sqrt()); add(APInt(32,0).nearestLogBase2() == 4294967295u);
         add(APInt(8,1).nearestLogBase2()); add(APInt(8, 11).nearestLogBase2());
         add(APInt(1,1).nearestLogBase2());"#,
        590_003_436,
    ),
    (
        r#"APInt p(8, 200); add(p.getLimitedValue(77)); add(p.getNumSignBits()); add(p.getNumWords());
         add(APInt(65,0).getNumWords()); add(p.isSplat(4)); add(APInt(8,0x55).isSplat(2));
         num(APInt::getSplat(16, APInt(4, 5))); add(p.isMask(3)); add(APInt(8,7).isMask(3));
         add(p.extractBitsAsZExtValue(3, 5)); add(APInt(8,4).isOneBitSet(2));"#,
        738_787_913,
    ),
    (
        r#"std::optional<uint64_t> z = APInt(80, 5).tryZExtValue(); add(z ? *z : -1);
         std::optional<int64_t> s = APInt(80, -5, true).trySExtValue(); add(s.value_or(0));
         auto w = APInt::getAllOnes(80).tryZExtValue(); add(w.has_value());"#,
        213_187,
    ),
    (
        r#"add(APInt::isSameValue(APInt(8, 5), APInt(16, 5)));
         add(APInt::isSameValue(APInt(8, 255), APInt(16, -1, true))); add(APInt(8,255).getSExtValue());
         add(APSInt::compareValues(APSInt(APInt(8,255),true), APSInt(APInt(16,-1,true),false)));
         add(APSInt::isSameValue(APSInt(APInt(8,255),true), APSInt(APInt(16,255),false)));"#,
        201_326_649,
    ),
    (
        r#"APInt p(8, 0); p.setBitVal(2, true); p.setBitVal(3, false); num(p); p.setBitsWithWrap(6, 2); num(p);
         p.insertBits(5, 1, 3); num(p); p.insertBits(APInt(2,3), 5); num(p); p.clearHighBits(2); num(p);
         p.clearBits(0, 2); num(p);"#,
        257_856_461,
    ),
    (
        r#"num(APInt(16, 300).truncUSat(8)); num(APInt(16, -300, true).truncSSat(8));
         num(APInt(16, 300).truncSSat(8)); num(APInt(16, 5).truncSSat(8));"#,
        561_811_119,
    ),
    (
        r#"num(APIntOps::abdu(APInt(8,3), APInt(8,250))); num(APIntOps::abds(APInt(8,3), APInt(8,250)));
         num(APIntOps::avgFloorS(APInt(8,3), APInt(8,250)));
         num(APIntOps::avgFloorU(APInt(8,3), APInt(8,250)));
         num(APIntOps::avgCeilS(APInt(8,3), APInt(8,250)));
         num(APIntOps::avgCeilU(APInt(8,3), APInt(8,250))); num(APIntOps::mulhs(APInt(8,100), APInt(8,250)));
         num(APIntOps::mulhu(APInt(8,100), APInt(8,250)));"#,
        119_498_252,
    ),
    (
        r#"num(APIntOps::GreatestCommonDivisor(APInt(16, 84), APInt(16, 36)));
         num(APIntOps::RoundingUDiv(APInt(16, 85), APInt(16, 4), APInt::Rounding::UP));
         num(APIntOps::RoundingSDiv(APInt(16, -85, true), APInt(16, 4), APInt::Rounding::DOWN));
         num(APIntOps::RoundingSDiv(APInt(16, -85, true), APInt(16, 4), APInt::Rounding::TOWARD_ZERO));
         num(APIntOps::RoundingSDiv(APInt(16, -85, true), APInt(16, 4), APInt::Rounding::UP));"#,
        777_800_415,
    ),
    (
        r#"num(APIntOps::pow(APInt(16, 3), 5)); num(APIntOps::ScaleBitMask(APInt(4, 5), 8));
         num(APIntOps::ScaleBitMask(APInt(8, 0x50), 4));
         add((int64_t)APIntOps::RoundAPIntToDouble(APInt(16, 85)));"#,
        754_151_189,
    ),
    (
        r#"add((int64_t)APInt(16, 65000).roundToDouble(false));
         add((int64_t)APInt(16, -5, true).signedRoundToDouble());
         add((int64_t)APInt(16, 65000).roundToDouble()); num(APInt::doubleToBits(2.5));
         num(APInt::floatToBits(2.5f)); add((int64_t)(APInt::doubleToBits(2.5).bitsToDouble() * 2));
         add((int64_t)(APInt::floatToBits(3.5f).bitsToFloat() * 2));
         add((int64_t)APInt(16, 65000).roundToDouble(true));"#,
        987_975_873,
    ),
    (
        r#"bool ov; num(APInt(8,-128,true).sdiv_ov(APInt(8,-1,true), ov)); add(ov);
         num(APInt(8,-7,true).sfloordiv_ov(APInt(8,2), ov)); add(ov);
         num(APInt(8,7).sfloordiv_ov(APInt(8,2), ov)); add(ov);"#,
        980_349_950,
    ),
    (
        r#"num(APInt(8, 3).multiplicativeInverse()); num(APInt(32, 77).multiplicativeInverse());
         num(APInt(16,12).rotl(3)); num(APInt(8,5).relativeLShr(-2)); num(APInt(8,128).relativeAShr(2));
         num(APInt(8,5).relativeLShl(1));"#,
        784_212_118,
    ),
    (
        r#"APInt p(8, 255); ++p; num(p); --p; num(p); p++; num(p); p += 5; num(p); p -= APInt(8,7); num(p);
         p *= 3; num(p); p <<= 2; num(p); p |= 1; num(p); p &= 0xF0; num(p); p ^= 3; num(p);
         p <<= APInt(8,1); num(p); num(p - 1); num(7 - p); num(p * 3); num(~p); num(-p); num(p + 1);
         num(1 + p);"#,
        21_205_990,
    ),
    (
        r#"APSInt p(APInt(8, 200), false), q(APInt(8, 3), false); num(p / q); num(p % q); num(p >> 1);
         num(p << 1); add(p < q); add(p <= 5); add(p == -56); add(p > -100); num(-p); ++p; num(p); p += q;
         num(p); p = p * q; num(p); add(p.isUnsigned()); add(p.getExtValue()); add(q.isSigned()); num(p & q);
         num(p | q); num(p ^ q); num(~p); p /= q; num(p); p %= q; num(p); p >>= 1; num(p);"#,
        777_095_926,
    ),
    (
        r#"add(APInt(8,5).isIntN(3)); add(APInt(8,5).isSignedIntN(3)); add(APInt(8,128).isMinSignedValue());
         add(APInt(8,5).ult(6)); add(APInt(8,5).eq(APInt(8,5))); add(APInt(8,0x80).isSignMask());
         add(APInt(8,5).getBoolValue()); add(APInt(8,200).ugt(199)); add(APInt(8,3).isShiftedMask());
         add(APInt(8,250).slt(APInt(8,1))); add(APInt(8,250).sgt(-7)); add(APInt(8,250).isNegatedPowerOf2());
         add(APInt(8,12).isPowerOf2()); add(APInt(8, 12) == 12); add(!APInt(8,0)); add(APInt(8,5) != 5);"#,
        489_119_926,
    ),
    (
        r#"APInt p = APInt::getSignedMinValue(8); APInt q = p.zext(16); APInt r = p.sext(16); num(q); num(r);
         std::swap(q, r); num(q); APInt z = APInt::getZeroWidth(); add(z.getBitWidth()); APInt t(8, 5);
         t = 9; num(t); num(APInt(8, 5).trunc(3)); num(APInt::getBitsSetWithWrap(8, 6, 2));
         num(APInt::getBitsSetFrom(8, 3));"#,
        113_397_311,
    ),
    (
        r#"num(APIntOps::smin(APInt(8,5), APInt(8,250))); num(APIntOps::umax(APInt(8,5), APInt(8,250)));
         num(std::max(APInt(8,5), APInt(8,9), [](const APInt &p, const APInt &q) { return p.slt(q); }));
         SmallVector<APInt> v{APInt(8,5), APInt(8,250), APInt(8,9)};
         llvm::sort(v, [](const APInt &p, const APInt &q) { return p.slt(q); }); num(v[0]); num(v.back());
         num(*llvm::min_element(v, [](const APInt &p, const APInt &q) { return p.ult(q); }));
         APInt sum(8, 0); for (const APInt &e : v) sum += e; num(sum);
         num(std::accumulate(v.begin(), v.end(), APInt(8, 1), [](APInt p, const APInt &q) { return p * q;
         }));"#,
        173_864_610,
    ),
    (
        r#"APFloat f(APFloat::IEEEsingle());
         APFloat::opStatus s = f.convertFromAPInt(APInt(32, 16777217), false, APFloat::rmTowardZero); flt(f);
         add(s); s = f.convertFromAPInt(APInt(32, 16777217), true, APFloat::rmTowardPositive); flt(f);
         add(s == APFloat::opInexact);
         add(f.convertFromAPInt(APInt(8, 5), true, APFloat::rmNearestTiesToEven) == APFloat::opOK); flt(f);"#,
        632_505_092,
    ),
    (
        r#"APFloat f(APFloat::IEEEhalf());
         auto s = f.convertFromAPInt(APInt(32, 70000), false, APFloat::rmNearestTiesToEven); flt(f); add(s);
         s = f.convertFromAPInt(APInt(32, 70000), false, APFloat::rmTowardZero); flt(f); add(s);
         s = f.convertFromAPInt(APInt(32, 2049), false, APFloat::rmNearestTiesToAway); flt(f); add(s);
         s = f.convertFromAPInt(APInt(32, -2049, true), true, APFloat::rmTowardNegative); flt(f); add(s);"#,
        476_142_745,
    ),
    (
        r#"APFloat f(1.0f), g(1e-8f); auto s = f.add(g, APFloat::rmTowardPositive); flt(f); add(s);
         f = APFloat(1.0f); s = f.add(g, APFloat::rmTowardZero); flt(f); add(s);
         s = f.subtract(g, APFloat::rmTowardNegative); flt(f); add(s);
         s = f.add(APFloat(1.0f), APFloat::rmNearestTiesToEven); add(s);"#,
        460_236_838,
    ),
    (
        r#"APFloat f(0.1f), g(0.3f); auto s = f.multiply(g, APFloat::rmTowardPositive); flt(f); add(s);
         s = f.divide(g, APFloat::rmTowardNegative); flt(f); add(s);
         s = f.multiply(APFloat(2.0f), APFloat::rmTowardZero); flt(f); add(s == APFloat::opOK);
         s = f.divide(APFloat(0.0f), APFloat::rmNearestTiesToEven); flt(f); add(s);
         if (s & APFloat::opDivByZero) add(77); "#,
        760_408_788,
    ),
    (
        r#"APFloat f(3e38f), g(3e38f); auto s = f.multiply(g, APFloat::rmTowardZero); flt(f); add(s);
         f = APFloat(3e38f); s = f.multiply(g, APFloat::rmNearestTiesToEven); flt(f); add(s);
         f = APFloat(1e-30f); s = f.multiply(APFloat(1e-15f), APFloat::rmNearestTiesToEven); flt(f); add(s);
         f = APFloat(1e-30f); s = f.multiply(APFloat(1e-30f), APFloat::rmTowardPositive); flt(f); add(s);
         f = APFloat::getInf(APFloat::IEEEsingle());
         s = f.subtract(APFloat::getInf(APFloat::IEEEsingle()), APFloat::rmNearestTiesToEven); flt(f);
         add(s); f = APFloat(0.0f); s = f.divide(APFloat(0.0f), APFloat::rmNearestTiesToEven); flt(f);
         add(s);"#,
        540_103_102,
    ),
    (
        r#"APFloat f = APFloat::getNaN(APFloat::IEEEsingle());
         auto s = f.add(APFloat(1.0f), APFloat::rmNearestTiesToEven); flt(f); add(s);
         f = APFloat::getSNaN(APFloat::IEEEsingle()); s = f.add(APFloat(1.0f), APFloat::rmNearestTiesToEven);
         flt(f); add(s); f = APFloat(2.0f);
         s = f.multiply(APFloat::getNaN(APFloat::IEEEsingle(), true, 5), APFloat::rmNearestTiesToEven);
         flt(f); add(s);"#,
        292_165_086,
    ),
    (
        r#"APFloat f(1.5), g(2.25), h(0.1); auto s = f.fusedMultiplyAdd(g, h, APFloat::rmNearestTiesToEven);
         flt(f); add(s); f = APFloat(3.0); s = f.fusedMultiplyAdd(g, APFloat(1.0), APFloat::rmTowardZero);
         flt(f); add(s); f = APFloat(0.1);
         s = f.fusedMultiplyAdd(APFloat(0.1), APFloat(-0.01), APFloat::rmNearestTiesToEven); flt(f); add(s);
         f = APFloat(0.1f);
         s = f.fusedMultiplyAdd(APFloat(0.1f), APFloat(-0.01f), APFloat::rmTowardPositive); flt(f); add(s);"#,
        847_631_736,
    ),
    (
        r#"APFloat f(7.5), g(2.0); auto s = f.mod(g); flt(f); add(s); f = APFloat(7.5); s = f.remainder(g);
         flt(f); add(s); f = APFloat(-7.5); f.mod(g); flt(f); f = APFloat(1.0); s = f.mod(APFloat(0.0));
         flt(f); add(s);"#,
        330_668_828,
    ),
    (
        r#"APFloat f(1e30), g(0.1); auto s = f.mod(g); flt(f); add(s); f = APFloat(-4.0f);
         s = f.mod(APFloat(2.0f)); flt(f); add(s); f = APFloat(5.0f); s = f.remainder(APFloat(3.0f)); flt(f);
         add(s); f = APFloat::getInf(APFloat::IEEEsingle()); s = f.remainder(APFloat(3.0f)); flt(f); add(s);"#,
        400_974_670,
    ),
    (
        r#"APFloat s = APFloat::getSmallest(APFloat::IEEEsingle()), n = APFloat::getSmallestNormalized(APFloat::IEEEsingle()), l = APFloat::getLargest(APFloat::IEEEsingle(), true);
         add(s.isSmallest()); add(n.isSmallestNormalized()); add(l.isLargest()); add(s.isNormal());
         add(n.isNormal()); add(s.isSignaling()); add(APFloat::getSNaN(APFloat::IEEEsingle()).isSignaling());
         add(n.isSmallest()); add(l.isFiniteNonZero()); add(s.isDenormal()); add(s.isInteger());
         add(s.isNonZero());"#,
        87_410_505,
    ),
    (
        r#"APFloat f(2.5f); add(f.getCategory() == APFloat::fcNormal);
         add(APFloat(0.0f).getCategory() == APFloat::fcZero);
         add(APFloat::getInf(APFloat::IEEEsingle()).getCategory());
         add(APFloat::getNaN(APFloat::IEEEsingle()).getCategory()); add(f.isNegInfinity());
         add(f.isPosZero());"#,
        242_079_358,
    ),
    (
        r#"APFloat f(1.0f); auto s = f.next(false); flt(f); add(s); f.next(true); f.next(true); flt(f);
         APFloat z(0.0f); z.next(true); flt(z); APFloat l = APFloat::getLargest(APFloat::IEEEsingle());
         s = l.next(false); flt(l); add(s);"#,
        66_271_634,
    ),
    (
        r#"APFloat f(1.0f); f.changeSign(); flt(f); f.clearSign(); flt(f); f.copySign(APFloat(-2.0f)); flt(f);
         flt(APFloat::copySign(APFloat(3.0f), f)); flt(abs(f)); flt(neg(f)); flt(llvm::abs(APFloat(-2.0f)));"#,
        370_206_376,
    ),
    (
        r#"APFloat f(4.0f), g(f.getSemantics()); add(f.getExactInverse(&g)); flt(g);
         add(APFloat(3.0f).getExactInverse(&g)); add(APFloat(0.25).getExactInverse(nullptr));
         add(f.getExactLog2()); add(APFloat(-0.125f).getExactLog2Abs());
         add(APFloat(3.0f).getExactLog2Abs()); add(APFloat(-4.0f).getExactLog2());
         add(APFloat(1e-45f).getExactInverse(&g)); add(APFloat(1.0f).getExactLog2());
         add(APFloat(0.0f).getExactLog2());"#,
        599_934_489,
    ),
    (
        r#"add(ilogb(APFloat(10.0f))); flt(scalbn(APFloat(1.5f), 3, APFloat::rmNearestTiesToEven)); int e;
         flt(frexp(APFloat(10.0), e, APFloat::rmNearestTiesToEven)); add(e); add(ilogb(APFloat(1e-40f)));
         add(ilogb(APFloat(0.0f))); flt(scalbn(APFloat(1.5f), -149, APFloat::rmNearestTiesToEven));
         flt(scalbn(APFloat(1.5f), 300, APFloat::rmNearestTiesToEven));"#,
        250_940_545,
    ),
    (
        r#"flt(minnum(APFloat(1.0f), APFloat(2.0f)));
         flt(maximum(APFloat(1.0f), APFloat::getNaN(APFloat::IEEEsingle())));
         flt(minimumnum(APFloat(1.0f), APFloat::getNaN(APFloat::IEEEsingle())));
         flt(maximumnum(APFloat(0.0f), APFloat(-0.0f)));
         flt(minimumnum(APFloat::getSNaN(APFloat::IEEEsingle()), APFloat::getNaN(APFloat::IEEEsingle())));"#,
        728_767_295,
    ),
    (
        r#"SmallString<32> s; APFloat(2.5f).toString(s); str(s); SmallString<32> t; APFloat(1e20).toString(t);
         str(t); SmallString<32> u; APFloat(0.1).toString(u, 6, 0); str(u); SmallString<8> v;
         APFloat(-0.0f).toString(v); str(v); SmallString<8> w;
         APFloat::getInf(APFloat::IEEEsingle(), true).toString(w); str(w);
         APFloat::getNaN(APFloat::IEEEsingle()).toString(w); str(w);"#,
        819_364_603,
    ),
    (
        r#"for (double d : {1.0, 100.0, 123456.0, 1234567.0, 1e-5, 0.001, 3.14159265358979, 1e300, 1e-300, 5e-324, 123456789012345680.0}) { SmallString<32> s;
         APFloat(d).toString(s); str(s);
         } for (float d : {1.0f, 0.1f, 16777216.0f, 3.4e38f, 1e-45f}) { SmallString<32> s;
         APFloat(d).toString(s); str(s); }"#,
        929_468_198,
    ),
    (
        r#"APFloat f = APFloat::getNaN(APFloat::IEEEsingle(), false, 5); bool l;
         auto s = f.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &l); flt(f); add(l); add(s);
         APFloat g = APFloat::getNaN(APFloat::IEEEdouble(), true, 12345);
         s = g.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &l); flt(g); add(l); add(s);
         APFloat h = APFloat::getSNaN(APFloat::IEEEsingle());
         s = h.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &l); flt(h); add(l); add(s); "#,
        658_573_656,
    ),
    (
        r#"bool l; APFloat h = APFloat::getNaN(APFloat::IEEEsingle());
         auto s = h.convert(APFloat::Float8E4M3FN(), APFloat::rmNearestTiesToEven, &l); flt(h); add(l);
         add(s); APFloat g = APFloat::getInf(APFloat::IEEEsingle());
         s = g.convert(APFloat::Float8E4M3FN(), APFloat::rmNearestTiesToEven, &l); flt(g); add(l); add(s);
         APFloat k(500.0f); s = k.convert(APFloat::Float8E4M3FN(), APFloat::rmNearestTiesToEven, &l); flt(k);
         add(l); add(s); APFloat m(3.3f); s = m.convert(APFloat::Float8E5M2(), APFloat::rmTowardZero, &l);
         flt(m); add(l); add(s);"#,
        644_023_008,
    ),
    (
        r#"bool l; APFloat h = APFloat::getNaN(APFloat::IEEEsingle(), true, 3);
         auto s = h.convert(APFloat::Float8E5M2FNUZ(), APFloat::rmNearestTiesToEven, &l); flt(h); add(l);
         add(s); s = h.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &l); flt(h); add(l);
         add(s); APFloat q = APFloat::getNaN(APFloat::Float8E4M3FN(), true);
         s = q.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &l); flt(q); add(l); add(s);
         APFloat z(-0.0f); s = z.convert(APFloat::Float8E4M3FNUZ(), APFloat::rmNearestTiesToEven, &l);
         flt(z); add(l); add(s);"#,
        537_013_887,
    ),
    (
        r#"flt(APFloat::getInf(APFloat::Float8E4M3FN())); flt(APFloat::getNaN(APFloat::Float8E4M3FN()));
         flt(APFloat::getInf(APFloat::Float8E5M2FNUZ(), true));
         flt(APFloat::getNaN(APFloat::Float8E5M2FNUZ())); flt(APFloat::getLargest(APFloat::Float8E4M3FN()));
         flt(APFloat::getQNaN(APFloat::Float8E4M3(), true));
         flt(APFloat::getZero(APFloat::Float8E4M3FNUZ(), true));
         flt(APFloat::getSmallest(APFloat::Float8E5M2()));"#,
        96_912_889,
    ),
    (
        r#"flt(APFloat::getOne(APFloat::IEEEsingle())); flt(APFloat::getOne(APFloat::IEEEsingle(), true));
         flt(APFloat::getAllOnesValue(APFloat::IEEEsingle()));
         flt(APFloat::getZero(APFloat::IEEEsingle(), true)); flt(APFloat(APFloat::IEEEhalf(), 5));
         flt(APFloat(APFloat::IEEEsingle(), APInt(32, 1078530011)));
         flt(APFloat::getNaN(APFloat::IEEEsingle(), true, 9)); flt(APFloat::getQNaN(APFloat::IEEEsingle()));
         flt(APFloat::getSNaN(APFloat::IEEEsingle(), true)); APInt pl(32, 7);
         flt(APFloat::getQNaN(APFloat::IEEEsingle(), false, &pl));"#,
        604_848_650,
    ),
    (
        r#"APFloat f(-2.5); APSInt r(8, false); bool ex;
         auto s = f.convertToInteger(r, APFloat::rmTowardNegative, &ex); num(r); add(s); add(ex);
         add(f.convertToInteger(r, APFloat::rmTowardZero, &ex) & APFloat::opInexact);
         if (f.convertToInteger(r, APFloat::rmTowardZero, &ex) != APFloat::opOK) add(1);
         add(f.convertToDouble() < 0); add((int64_t)(f.convertToDouble() * 4));
         add(f.compare(APFloat(1.0)) == APFloat::cmpLessThan); add(f.isInteger());
         f.roundToIntegral(APFloat::rmNearestTiesToAway); flt(f); add(f.bitwiseIsEqual(APFloat(-3.0)));
         add(f.isExactlyValue(-3.0)); add(f == APFloat(-3.0)); add(f < APFloat(0.0));"#,
        91_446_289,
    ),
    (
        r#"add((int64_t)APFloat(2.5f).convertToFloat()); APFloat h(APFloat::IEEEhalf(), "2.5");
         add((int64_t)(h.convertToFloat() * 2)); add((int64_t)(h.convertToDouble() * 2)); APFloat q = h + h;
         flt(q); q = q * h - h; flt(q); q = -q; flt(q); q = q / h; flt(q);"#,
        927_832_385,
    ),
    (
        r#"APFloat f(2.5f); auto s = f.roundToIntegral(APFloat::rmNearestTiesToEven); flt(f); add(s);
         f = APFloat(3.0f); s = f.roundToIntegral(APFloat::rmTowardZero); add(s); f = APFloat(-0.3f);
         s = f.roundToIntegral(APFloat::rmTowardZero); flt(f); add(s);
         f = APFloat::getSNaN(APFloat::IEEEsingle()); s = f.roundToIntegral(APFloat::rmTowardZero); flt(f);
         add(s);"#,
        388_538_335,
    ),
    (
        r#"std::string s; StringRef t = StringRef("heLlo wOrld");
         for (char c : t) s += (c >= 'a' && c <= 'z') ? c - 'a' + 'A' : c; str(s);"#,
        516_808_908,
    ),
    (
        r#"std::string s; StringRef t = StringRef("heLlo wOrld");
         for (char c : t) { if (c == ' ') s.push_back('_'); else s += llvm::toUpper(c); } str(s);
         char d = t[0]; d += 1; str(std::string(1, d)); str(std::string(3, 'x')); add('a' + 1);"#,
        243_059_601,
    ),
    (
        r#"std::string s = StringRef("heLlo wOrld").str();
         std::transform(s.begin(), s.end(), s.begin(), ::toupper); str(s);
         std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
         str(s); std::transform(s.begin(), s.end(), s.begin(), [](char c) { return llvm::toUpper(c); });
         str(s);"#,
        347_124_179,
    ),
    (
        r#"std::string s = StringRef("heLlo wOrld").str(); std::reverse(s.begin(), s.end()); str(s);
         s[0] = 'Q'; str(s); s.pop_back(); str(s); s.insert(1, "@@"); str(s); s.erase(0, 2); str(s);
         s.erase(3); str(s); s.resize(2); str(s); s.append("ab"); str(s); s.append(2, 'z'); str(s);
         s.clear(); add(s.empty()); s = "abc"; std::sort(s.begin(), s.end()); s.front() = 'Z';
         s.back() = 'Y'; str(s); s.replace(0, 1, "QQ"); str(s);"#,
        43_686_239,
    ),
    (
        r#"std::string s = "abc", t = "abd"; add(s < t); add(s > t); StringRef u = "x";
         add(u < StringRef("y")); add(u.compare("y")); add(u.compare_insensitive("X"));
         SmallVector<int64_t> p{1, 2}, q{1, 3}; add(p < q); add(p > q); add(p <= p);
         add(ArrayRef<int64_t>(p) == ArrayRef<int64_t>(q)); std::vector<int> v{1,2}, w{1,2,3}; add(v < w);
         add(w >= v);"#,
        718_138_392,
    ),
    (
        r#"std::string s; llvm::raw_string_ostream os(s);
         os << 2.5 << "," << 1e10 << "," << 0.1f << "," << 1.0 / 3 << "," << -0.0;
         os << true << ' ' << 5u << ' ' << (int8_t)65 << ' ' << APInt(8, 200) << ' ' << APFloat(2.5f) << ' ' << 3 + 4;
         os.flush(); str(s); str(os.str()); str(std::to_string(2.5)); str(std::to_string(-7));
         str(std::to_string(true));"#,
        37_723_235,
    ),
    (
        r#"StringRef t = "ab"; str((Twine("x") + t + Twine(5) + "y").str()); str(("p" + t + Twine(7)).str());
         SmallString<16> b2; StringRef u = (Twine("a") + "b").toStringRef(b2); str(u);
         str((t + "_" + std::to_string(3)).str()); str(Twine('c').str()); str(Twine::utohexstr(255).str());"#,
        329_575_014,
    ),
    (
        r#"StringRef t = "  Hello, World 12  "; str(t.trim()); str(t.ltrim()); str(t.rtrim(' '));
         add(t.find("World")); add(t.find('z') == StringRef::npos); add(t.rfind('o'));
         add(t.contains("ello")); add(t.contains('q')); add(t.count('l')); str(t.substr(2, 5));
         str(t.slice(3, 6)); add(t.starts_with("  H")); str(t.take_front(4)); str(t.drop_back(3));
         str(t.take_back(4)); auto [l, r] = t.trim().split(','); str(l); str(r);
         str(t.trim().rsplit(' ').second); str(t.lower()); add(t.find_insensitive("WORLD"));
         add(t.contains_insensitive("WORLD")); add(t.rfind_insensitive('L'));
         add(t.find_if([](char c) { return c == 'W'; })); add(t.find_if_not([](char c) { return c == ' ';
         })); add(t.equals_insensitive("x")); str(t.trim().take_while([](char c) { return c != ','; }));"#,
        366_678_663,
    ),
    (
        r#"StringRef t = "key=12"; int n; add(t.consume_front("key=")); add(t.getAsInteger(10, n)); add(n);
         unsigned u; add(StringRef("0x1f").getAsInteger(0, u)); add(u);
         add(StringRef("ff").getAsInteger(16, u)); add(u); int64_t k; StringRef s = "42abc";
         add(s.consumeInteger(10, k)); add(k); str(s); uint8_t w; add(StringRef("300").getAsInteger(10, w));
         add(k); add(StringRef("-101").getAsInteger(2, k)); add(k);
         add(StringRef("0b11").getAsInteger(0, k)); add(k); add(StringRef("017").getAsInteger(0, k)); add(k);"#,
        938_553_257,
    ),
    (
        r#"std::string s = "hello world"; str(s.substr(6)); str(s.substr(0, 5)); add(s.find("wor"));
         add(s.find('z') == std::string::npos); add(s.length()); add(std::stoi("12"));
         add(std::stoll("-77")); s += "!" ; s += std::to_string(5); str(s); add(s.rfind('o'));
         add(s.find_first_of("ow")); add(s.find_last_of('o')); add(s.at(1)); add(s == "x"); add(s.back());
         add(s.starts_with("h"));  add(std::isdigit(s.back()) != 0);
         add(std::count(s.begin(), s.end(), 'l')); s.reserve(100); add(*s.begin());"#,
        575_259_339,
    ),
    (
        r#"add(std::stoul("12")); str(llvm::utostr(7)); str(llvm::itostr(-7));
          std::vector<std::string> v{"x", "yy"}; str(llvm::join(v, ","));
         std::string t = llvm::join(llvm::map_range(v, [](const std::string &s) { return s + "!"; }), " ");
         str(t); add(llvm::isPrint('a')); str(llvm::utohexstr(255, true));"#,
        158_228_164,
    ),
    (
        r#"SmallString<16> s("ab"); s += "cd"; s.append("ef"); s.push_back('g'); str(s); str(s.str());
         add(s.size()); s.clear(); s.assign("xyz"); str(s); add(s == "xyz"); str(s.substr(1));
         add(s.starts_with("x")); add(s.find("1")); str(StringRef(s).upper()); str(s.c_str()); s[0] = 'w';
         str(s);"#,
        541_667_507,
    ),
    (
        r#"SmallVector<StringRef> parts; StringRef("heLlo wOrld").split(parts, ' '); add(parts.size());
         for (StringRef p : parts) str(p); parts.clear(); StringRef("a,,b").split(parts, ",");
         add(parts.size()); parts.clear(); StringRef("a,,b").split(parts, ',', -1, false); add(parts.size());
         for (StringRef p : llvm::split("a:b", ':')) str(p); std::string j = llvm::join(parts, "|"); str(j);
         llvm::sort(parts); str(parts.back()); auto pp = StringRef("k=v").split("="); str(pp.first);
         std::tie(parts[0], parts[1]) = StringRef("u.w").split('.'); str(parts[1]);"#,
        543_149_602,
    ),
    (
        r#"StringRef t = "add";
         int k = llvm::StringSwitch<int>(t).Case("add", 1).Cases({"sub", "minus"}, 2).StartsWith("mul", 3).Default(0);
         add(k); auto m = llvm::StringSwitch<std::optional<int>>(t).Case("x", 5).Default(std::nullopt);
         add(m.has_value()); add(llvm::StringSwitch<bool>("TRUE").CaseLower("true", true).Default(false));"#,
        209_499,
    ),
    (
        r#"std::set<int64_t> s; for (int64_t e : SmallVector<int64_t>{7, 3, -5, 3}) s.insert(e); add(s.size());
         for (int64_t e : s) add(e); auto it = s.find(3); add(it != s.end()); add(*it); add(s.count(9));
         add(*s.begin()); add(*s.rbegin()); s.erase(3); add(s.contains(3)); add(*s.lower_bound(0));
         auto ub = s.upper_bound(7); add(ub == s.end());"#,
        947_654_834,
    ),
    (
        r#"std::map<std::pair<int64_t, int64_t>, std::string> m; m[{1, 2}] = "x"; m[{0, 5}] = "y";
         for (auto &kv : m) { add(kv.first.first); str(kv.second); } add(m.count({1, 2})); str(m.at({0, 5}));
         str(m[{1, 2}]); std::map<std::string, SmallVector<int64_t>> g; g["b"].push_back(1);
         g["a"].push_back(2); g["b"].push_back(3); for (auto &[k, v] : g) { str(k); add(v.size()); }"#,
        434_114_789,
    ),
    (
        r#"llvm::MapVector<int64_t, SmallVector<int64_t>> m;
         for (auto [i, e] : llvm::enumerate(SmallVector<int64_t>{7, 3, -5, 3})) m[e].push_back(i);
         for (auto &[k, v] : m) { add(k); for (int64_t e : v) add(e); } llvm::DenseMap<int64_t, int64_t> d;
         for (int64_t e : SmallVector<int64_t>{7, 3, -5, 3}) d[e] += e; add(d.lookup(3));
         auto it = d.find(7); add(it->second); add(d.contains(4)); d.try_emplace(4, 5); add(d[4]);
         add(m.front().first); add(m.back().second.size()); add(d.find(99) == d.end());"#,
        1_847_803,
    ),
    (
        r#"auto v = SmallVector<int64_t>{7, 3, -5, 3}; auto it = std::adjacent_find(v.begin(), v.end());
         add(it == v.end()); v.push_back(3); add(std::adjacent_find(v.begin(), v.end()) - v.begin());
         add(std::adjacent_find(v.begin(), v.end(), std::greater<>()) - v.begin());
         add(llvm::adjacent_find(v) == v.end()); add(std::is_sorted(v.begin(), v.end()));
         add(llvm::is_sorted(v, [](int64_t p, int64_t q) { return p > q; }));"#,
        243_925_439,
    ),
    (
        r#"llvm::BitVector b2(8); b2.set(1); b2.set(5); b2.flip(1); b2.flip(2); add(b2.count());
         for (unsigned i : b2.set_bits()) add(i); b2.flip(); add(b2.count()); add(b2.find_first());
         add(b2.find_next(0)); add(b2.find_last()); add(b2.find_prev(7)); add(b2.any()); add(b2.none());
         add(b2.all()); b2.resize(10, true); add(b2.size()); llvm::BitVector c(10); c.set(3); add(b2[3]);
         b2[4] = true; add(b2.test(4)); add(b2.anyCommon(c)); add(b2 == c); c.flip(); add(c.count());
         add(b2.find_first_unset()); b2.clear(); add(b2.empty()); llvm::BitVector d(4, true);
         d.push_back(true); add(d.size());"#,
        828_476_109,
    ),
    (
        r#"std::optional<int64_t> m; m = 5; *m += 1; add(*m); m.reset(); add(m.has_value()); m.emplace(7);
         add(m.value()); (*m)++; add(*m); m = std::nullopt; add(m.value_or(3));
         std::optional<SmallVector<int64_t>> v; if (auto k = std::optional<int64_t>(4)) add(*k);
         std::optional<std::string> s = "abc"; std::optional<int64_t> p = 3; p = p.value() * 2; add(*p);
         std::swap(m, p); add(m.has_value());"#,
        520_789_437,
    ),
    (
        r#"int64_t a[4] = {1, 2}; add(a[0]); add(a[3]); int c[3] = {}; add(c[1]);
         std::array<int64_t, 3> s = {7}; add(s[2]); add(s.size()); add(std::size(a));
         static const int64_t t[] = {4, 5, 6}; add(std::size(t)); add(sizeof(int32_t));
         add(sizeof(double) * 8); float f[2] = {1.5f}; add((int64_t)f[1]); add(sizeof(int64_t));
         for (int64_t e : a) add(e); a[1] += 5; add(a[1]);"#,
        663_104_072,
    ),
    (
        r#"add((int64_t)std::fmax(2.5, 1.0)); add((int64_t)std::fmin(2.5, 1.0)); add(std::lrint(2.5));
         add((int64_t)std::rint(3.5)); add((int64_t)std::nearbyint(2.5)); add((int64_t)std::fdim(5.0, 3.0));
         add((int64_t)std::fma(2.0, 3.0, 1.0)); add(std::isnormal(1.0)); add(std::abs(-3));
         add((int64_t)std::abs(-2.5));"#,
        738_243_957,
    ),
    (
        r#"add(llvm::alignDown(13, 4)); add(llvm::alignTo(13, 4)); add(llvm::divideCeil(13, 4));
         add(llvm::alignTo<8>(13)); add(llvm::isPowerOf2_64(8)); add(llvm::divideNearest(13, 4));
         add(llvm::Log2_64_Ceil(9)); add(llvm::bit_ceil(9u)); add(llvm::bit_floor(9u));
         add(llvm::PowerOf2Ceil(9)); add(llvm::NextPowerOf2(8)); add(llvm::countl_one(0xF0000000u));
         add(llvm::countr_one(7u)); add(llvm::popcount(255u)); add(llvm::AbsoluteValue(-5));
         add(llvm::maskTrailingOnes<uint32_t>(5)); add(llvm::maskLeadingOnes<uint8_t>(3)); int64_t r;
         add(llvm::AddOverflow<int64_t>(INT64_MAX, 1, r)); add(llvm::MulOverflow<int64_t>(3, 4, r)); add(r);
         add(llvm::SubOverflow<int64_t>(3, 4, r)); add(r); add(llvm::maxUIntN(5)); add(llvm::maxIntN(5));
         add(llvm::minIntN(5)); add(llvm::isInt<8>(200)); add(llvm::isUInt<8>(200));
         add(llvm::isShiftedUInt<4, 2>(12)); add(llvm::isShiftedInt<4, 2>(12));
         add(llvm::reverseBits<uint8_t>(3)); add(llvm::byteswap<uint16_t>(258));
         add(llvm::has_single_bit(8u)); add(llvm::rotl<uint8_t>(129, 1)); add(llvm::rotr<uint8_t>(129, 1));
         add(llvm::alignTo(13, 8, 3)); add(llvm::alignDown(13, 8, 3)); add(llvm::MinAlign(8, 12));"#,
        313_341_389,
    ),
    (
        r#"add(llvm::bit_cast<int32_t>(1.5f)); add(llvm::bit_cast<uint64_t>(2.5));
         add((int64_t)llvm::bit_cast<double>((uint64_t)4612811918334230528)); add(std::gcd(12, 18));
         add(std::lcm(4, 6)); add((int64_t)llvm::numbers::pi); add(std::clamp(5, 1, 3));
         add(std::popcount(7u)); add(std::signbit(-1.0)); add(std::numeric_limits<int8_t>::max());
         add(std::numeric_limits<uint16_t>::digits); add(llvm::mod(7, 3));
         add(llvm::divideFloorSigned(-7, 2)); add(llvm::divideCeilSigned(7, 2));"#,
        65_054_483,
    ),
    (
        r#"SmallVector<int64_t> p{1, 2, 3}, q{1, 3};
         add(std::lexicographical_compare(p.begin(), p.end(), q.begin(), q.end()));
         add(std::equal(p.begin(), p.end(), q.begin(), q.end()));
         llvm::sort(p, [](int64_t s, int64_t t) { return s > t; }); add(p[0]);
         llvm::sort(p.begin(), p.end(), std::less<>()); add(p[0]); std::sort(p.rbegin(), p.rend());
         add(p[0]);"#,
        201_330_495,
    ),
    (
        r#"SmallVector<int64_t> v{1, 2, 2, 5}, w{2, 2, 3}, o; std::set_intersection(v.begin(), v.end(),
         w.begin(), w.end(), std::back_inserter(o)); for (int64_t x : o) add(x); o.clear();
         std::set_union(v.begin(), v.end(), w.begin(), w.end(), std::back_inserter(o)); for (int64_t x : o)
         add(x); std::set_difference(v.begin(), v.end(), w.begin(), w.end(), std::back_inserter(o)); for
         (int64_t x : o) add(x);"#,
        326_369_689,
    ),
    (
        r#"SmallVector<int64_t> v{1, 2, 2, 5}, w{2, 2, 3}, o{9}; std::set_symmetric_difference(v.begin(),
         v.end(), w.begin(), w.end(), std::back_inserter(o)); for (int64_t x : o) add(x); o.clear();
         std::merge(v.begin(), v.end(), w.begin(), w.end(), std::back_inserter(o)); for (int64_t x : o)
         add(x); std::merge(v.begin() + 1, v.end(), w.begin(), w.begin() + 1, std::back_inserter(o)); for
         (int64_t x : o) add(x);"#,
        357_972_860,
    ),
    (
        r#"SmallVector<int64_t> v{1, 2, 2, 5}, w{2, 5}, u{5, 2, 1, 2}; add(std::includes(v.begin(), v.end(),
         w.begin(), w.end())); add(std::includes(w.begin(), w.end(), v.begin(), v.end()));
         add(llvm::includes(v, w)); add(std::is_permutation(v.begin(), v.end(), u.begin()));
         add(std::is_permutation(v.begin(), v.end(), w.begin(), w.end())); add(std::inner_product(v.begin(),
         v.end(), u.begin(), int64_t(3))); add(std::inner_product(v.begin(), v.begin() + 2, u.begin(), 0));"#,
        476_755_172,
    ),
    (
        r#"SmallVector<int64_t> v{4, 5, 6}; add(*std::prev(v.end())); add(*std::prev(v.end(), 2));
         add(std::prev(v.end(), 3) == v.begin()); int64_t n = 4, before = std::exchange(n, 7); add(n);
         add(before); add(std::exchange(v[1], n + 1)); add(v[1]); auto [lo, hi] = std::minmax({3, 9, -2});
         add(lo); add(hi); int p = 8, q = 3; auto m = std::minmax(p, q); add(m.first); add(m.second);
         add(std::exchange(n, n * 2)); add(n);"#,
        470_079_365,
    ),
    (
        r#"str(llvm::formatv("x{0}", 3).str()); std::string s = llvm::formatv("{0}_{1}{0}{{", -4, "ab");
         str(s); str(llvm::formatv("{}-{}", StringRef("c"), uint64_t(7)).str()); std::string t = "d";
         str(llvm::formatv("{0}", t).str());"#,
        382_127_306,
    ),
    (
        r#"SmallVector<int64_t> v{3, 1, 4, 1, 4}; auto [lo, hi] = std::minmax_element(v.begin(), v.end());
         add(*lo); add(*hi); add(lo - v.begin()); add(hi - v.begin()); auto p = std::minmax_element(v.begin()
         + 1, v.end()); add(*p.first); add(p.second - v.begin());"#,
        244_882_630,
    ),
    (
        r#"SmallVector<int64_t> v{1, 3, 5, 6, 8}; auto it = std::partition_point(v.begin(), v.end(), [](int64_t
         x) { return x % 2 == 1; }); add(*it); add(it - v.begin()); add(llvm::partition_point(v, [](int64_t
         x) { return x < 9; }) == v.end()); add(*llvm::partition_point(v, [](int64_t x) { return x < 0; }));"#,
        6_646_308,
    ),
    (
        r#"std::optional<int64_t> s = llvm::checkedAdd<int64_t>(4, 5); add(*s);
         add(llvm::checkedAdd<int64_t>(INT64_MAX, 1).has_value()); add(llvm::checkedSub<int32_t>(INT32_MIN,
         1).has_value()); add(*llvm::checkedMul<int32_t>(-7, 6)); add(llvm::checkedMul<int8_t>(100,
         2).has_value()); add(*llvm::checkedMulAdd<int64_t>(3, 4, 5)); add(llvm::checkedMulAdd<int16_t>(300,
         100, 5000).has_value());"#,
        574_579_811,
    ),
    (
        r#"SmallVector<int64_t> v{7, 2, 2, 3, 3}; add(std::adjacent_find(v.begin() + 2, v.end()) - v.begin());
         add(std::adjacent_find(v.begin() + 1, v.begin() + 2) - v.begin()); auto p =
         std::minmax_element(v.begin() + 1, v.begin() + 3); add(p.first - v.begin()); add(p.second -
         v.begin());"#,
        6_555_975,
    ),
    (
        r#"StringRef s("abcdefg"); str(s.slice(3, 1)); str(s.slice(2, 100)); str(s.slice(9, 100)); str(s.slice(9,
         2)); str(s.slice(2, 2)); str(s.slice(2, StringRef::npos)); size_t from = 5, to = 2; str(s.slice(from,
         to));"#,
        668_985_334,
    ),
    (
        r#"StringRef s("300"); uint8_t b = 1; add(s.consumeInteger(10, b)); add(b); str(s); s = "0xg"; int64_t k =
         5; add(s.consumeInteger(0, k)); add(k); str(s); s = "08"; add(s.consumeInteger(0, k)); str(s); s =
         "-999999999999999999999"; add(s.consumeInteger(10, k)); str(s); s = "-129x"; int8_t c = 2;
         add(s.consumeInteger(10, c)); add(c); str(s); s = "9223372036854775808x"; add(s.consumeInteger(10, k));
         add(k); str(s);"#,
        368_810_830,
    ),
    (
        r#"StringRef s("abcabcab"); add(s.find('b', 2)); add(s.find('b', 100)); add(s.find("", 100));
         add(s.find("", 8)); add(s.find("ca", 2)); add(s.find("ca", 6)); add(s.find_first_of("ac", 1));
         add(s.find_first_of('a', 100)); add(s.find_first_not_of("ab", 3)); add(s.find_first_not_of('b', 7));
         auto isC = [](char c) { return c == 'c'; }; add(s.find_if(isC, 3)); add(s.find_if(isC, 6));
         add(s.find_if_not(isC, 2));"#,
        510_518_823,
    ),
    (
        r#"StringRef s("foobar"); add(s.consume_front('f')); str(s); add(s.consume_front('x'));
         add(s.consume_back("r")); str(s);"#,
        659_384_513,
    ),
    (
        r#"auto v = SmallVector<int64_t>(); v.push_back(3); add(v.size()); auto w = std::vector<float>();
         add(w.size()); str(StringRef()); str(std::string{}); num(APInt{}); num(APInt()); float f = float();
         double d = double{}; add(f == 0 && d == 0); add(int() + uint8_t{} + bool()); auto p = std::pair<float,
         int64_t>(); add(p.first + p.second); add(std::optional<int64_t>().value_or(3)); add(!Type() &&
         !Attribute());"#,
        468_810_979,
    ),
];

#[test]
fn functions_of_the_libraries_have_the_results_of_cpp() {
    let mut wrong = Vec::new();
    for (text, want) in CASES {
        let helper = format!("int64_t f(int64_t n) {{ {PRELUDE} {text} return hash % 1000000007; }}");
        let got = pair(&helper, "f($0)", 0, 0);
        wrong.extend((got != Ok(*want)).then(|| format!("{text}\n{got:?}, not {want}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn sizes_and_permutations_have_the_functions_of_mlir() {
    let text = "
      int64_t f(int64_t n) { SmallVector<int64_t> v{2, 3, 4}; return computeMaxLinearIndex(v) * 10
        + hasValidSizesOffsets({1, n, ShapedType::kDynamic}) + 2 * hasValidStrides({1, n - 3, ShapedType::kDynamic}); }
      int64_t g(int64_t n) { int64_t r = 0; for (int64_t x : dropDims({3, 0, 2, 1, n}, {2, 0})) r = r * 10 + x; return r; }
      int64_t h(int64_t n) { int64_t r = 0; for (int64_t x : tosa::convertFromMlirShape({2, ShapedType::kDynamic, n})) r = r * 10 + x; return r; }";
    returns(text, "f($0)", &[(7, 243), (3, 241), (-5, 242)]);
    returns(text, "g($0)", &[(7, 105), (3, 101)]);
    returns(text, "h($0)", &[(7, 197), (3, 193), (-5, 185)]);
}
