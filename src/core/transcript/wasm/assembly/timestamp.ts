// Times in the form that every client writes: 2026-01-31T23:59:59.999Z. Any other form is left to Date.parse.

const LENGTH: u32 = 24;
const MS_PER_DAY: f64 = 86_400_000;

/** Milliseconds since the epoch, or NaN for any other form. */
export function readTimestamp(at: usize, length: u32): f64 {
  if (length != LENGTH || !hasForm(at)) return NaN;
  const year = two(at) * 100 + two(at + 2);
  const month = two(at + 5);
  const day = two(at + 8);
  const hour = two(at + 11);
  const minute = two(at + 14);
  const second = two(at + 17);
  const ms = two(at + 20) * 10 + (<i32>load<u8>(at, 22) - 0x30);
  // Days that do not occur in every month are rare, so they are left to Date.parse.
  const isDay = month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysOf(month));
  if (year < 1970 || !isDay || hour > 23 || minute > 59 || second > 59) return NaN;
  return <f64>daysSinceEpoch(year, month, day) * MS_PER_DAY + <f64>(((hour * 60 + minute) * 60 + second) * 1000 + ms);
}

/** Checks 2026-01-31T23:59 and -31T23:59:59.999, then Z: digits in their places, and only the separators between them. */
function hasForm(at: usize): bool {
  const marks = i8x16(0, 0, 0, 0, 0x2d, 0, 0, 0x2d, 0, 0, 0x54, 0, 0, 0x3a, 0, 0);
  const laterMarks = i8x16(0x2d, 0, 0, 0x54, 0, 0, 0x3a, 0, 0, 0x3a, 0, 0, 0x2e, 0, 0, 0);
  return (
    isForm(v128.load(at), marks, 0x2490) && isForm(v128.load(at, 7), laterMarks, 0x1249) && load<u8>(at, 23) == 0x5a
  );
}

/** `places` has one bit for each separator. */
function isForm(bytes: v128, marks: v128, places: i32): bool {
  const digits = i8x16.bitmask(i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10)));
  return digits == (~places & 0xffff) && (i8x16.bitmask(i8x16.eq(bytes, marks)) & places) == places;
}

/** The number that two digits form. */
function two(at: usize): i32 {
  return (<i32>load<u8>(at) - 0x30) * 10 + (<i32>load<u8>(at, 1) - 0x30);
}

/** Number of days that the month has in every year. */
function daysOf(month: i32): i32 {
  if (month == 2) return 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** In the proleptic Gregorian calendar. Counts years from March, so that the leap day is the last. */
function daysSinceEpoch(year: i32, month: i32, day: i32): i32 {
  const fromMarch = month > 2 ? month - 3 : month + 9;
  const years = month > 2 ? year : year - 1;
  const era = years / 400;
  const yearOfEra = years - era * 400;
  const dayOfYear = (153 * fromMarch + 2) / 5 + day - 1;
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
}
