import assert from 'node:assert/strict';
import { OpeningTimes } from '../../../src/extension/conversation/openingTimes';

describe('The times of an opening', () => {
  it('are reported in order from the command on, for the first page only', () => {
    let now = 1000;
    const times = new OpeningTimes(() => now);
    now = 1004;
    times.note('panel made');
    now = 1120;
    times.note('rows read');
    now = 1990;
    times.note('rows read');
    const page = { beganMs: 1100.4, ranMs: 1180, answeredMs: 1200, drawnMs: 1240, paintedMs: 1250.6 };
    assert.equal(
      times.summary(page),
      'panel made 4, page began 100, rows read 120, script ran 180, answer there 200, rows drawn 240, painted 251',
    );
  });
});
