import assert from 'node:assert/strict';
import { addDays, LocalDays, NO_TIME, QUARTER_MS, quarterOf } from '../../rooms/usage';

const HOUR = 4;

describe('The days of a time zone', () => {
  it('consist of whole quarters of an hour in every existing zone', function () {
    this.timeout(60_000);
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
      let before = '';
      // Twice a week: a zone changes its clock a few times a year.
      for (let day = Date.UTC(2019, 0, 1); day < Date.UTC(2028, 0, 1); day += 84 * QUARTER_MS * HOUR) {
        const offset = offsetOf(format, day);
        assert.match(offset, /^GMT(?:[+-]\d\d:(?:00|15|30|45))?$/u, `${timeZone} ${offset}`);
        if (before !== '' && before !== offset) {
          const changeMs = changeBetween(format, day - 84 * QUARTER_MS * HOUR, day);
          // In Antarctica a clock was once changed a minute past midnight: within the day.
          const first = changeMs - (changeMs % QUARTER_MS);
          const [from, to] = [first, first + QUARTER_MS - 1].map((ms) =>
            new Date(ms).toLocaleDateString('sv-SE', { timeZone }),
          );
          assert.equal(from, to, `${timeZone} ${new Date(changeMs).toISOString()}`);
        }
        before = offset;
      }
    }
  });

  for (const [timeZone, day, hours] of [
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    ['Australia/Lord_Howe', '2026-10-04', 23.5],
    ['Asia/Kathmandu', '2026-10-25', 24],
    // Its clock changes at midnight: the day begins at one.
    ['Africa/Cairo', '2026-04-24', 23],
  ] as const) {
    it(`are ${hours} hours long on ${day} in ${timeZone}`, () => {
      const calendar = new LocalDays(timeZone);
      const [from, to] = [calendar.startOf(day), calendar.startOf(addDays(day, 1))];
      assert.equal((to - from) / HOUR, hours);
      assert.equal(calendar.dayOf(from - 1), addDays(day, -1));
      for (let quarter = from; quarter < to; quarter++) assert.equal(calendar.dayOf(quarter), day);
      assert.equal(calendar.dayOf(to), addDays(day, 1));
    });
  }

  it('match those of Intl, in whatever order they are requested', () => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham', 'UTC']) {
      const calendar = new LocalDays(timeZone);
      for (let step = 0; step < 4000; step++) {
        const ms = Date.UTC(2026, 0, 1) + ((step * 7919) % 35_040) * QUARTER_MS;
        assert.equal(calendar.dayOf(quarterOf(ms)), new Date(ms).toLocaleDateString('sv-SE', { timeZone }));
      }
    }
  });

  it('can be skipped: such a day has no quarter', () => {
    const calendar = new LocalDays('Pacific/Apia');
    assert.equal(calendar.startOf('2011-12-30'), calendar.startOf('2011-12-31'));
  });

  it('require an existing zone name', () => {
    assert.throws(() => new LocalDays('Europe/Atlantis'), RangeError);
  });
});

describe('A time', () => {
  it('is a quarter of an hour from 1970 to the year 9999, and invalid otherwise', () => {
    assert.equal(quarterOf(0), 0);
    assert.equal(quarterOf(QUARTER_MS - 1), 0);
    assert.equal(quarterOf(Date.UTC(9999, 11, 31, 23, 59)), quarterOf(Date.UTC(10_000, 0, 1) - 1));
    for (const ms of [NaN, -1, Infinity, Date.UTC(10_000, 0, 1)]) assert.equal(quarterOf(ms), NO_TIME);
  });
});

function offsetOf(format: Intl.DateTimeFormat, ms: number): string {
  return format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** The time at which the offset changes, to the millisecond. */
function changeBetween(format: Intl.DateTimeFormat, from: number, to: number): number {
  let [before, after] = [from, to];
  const offset = offsetOf(format, after);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetOf(format, middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}
