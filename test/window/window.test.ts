import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { dataMs } from './openings';
import { measureWindow, type WindowFigures } from './windowFigures';
import { dataRatio } from './windowGoals';
import { QUICK_SIZE } from './windowSizes';

const STEPS = ['panel made', 'file read', 'rows read', 'page began', 'script ran', 'page asked', 'page answered'];
const PAGE_STEPS = ['answer there', 'rows drawn', 'painted'];
/** Tolerance between the page's times and those from outside: some frames, which are long on a busy machine. */
const AGREEMENT_MS = 1000;

describe('The measurements in a window', () => {
  let browser: Browser | undefined;
  let figures: WindowFigures;

  before(async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    browser = await skipWhenUnavailable(this, launchChromium);
    figures = await measureWindow(QUICK_SIZE, { installation, browser, log: () => undefined });
  });

  after(async () => {
    await browser?.close();
  });

  it('include every step from the command to the first screen, in the only possible order', () => {
    const { first, ours } = figures.openings;
    assert.equal(ours.length, QUICK_SIZE.openings);
    for (const { steps, painted } of [first, ...ours]) {
      for (const step of [...STEPS, ...PAGE_STEPS]) assert.ok((steps.get(step) ?? -1) >= 0, `${step} is missing`);
      const at = (step: string): number => steps.get(step) ?? NaN;
      assert.ok(at('file read') <= at('rows read') && at('rows read') <= at('page answered'));
      assert.ok(at('page asked') <= at('page answered') && at('answer there') <= at('painted'));
      assert.ok(Math.abs(at('painted') - painted) < AGREEMENT_MS, `painted after ${at('painted')} and ${painted} ms`);
    }
  });

  it('show that a small part of the file is transferred to the page first', () => {
    for (const { crossed } of figures.openings.ours) {
      assert.ok(crossed > 1000 && crossed < figures.sessionBytes / 10, `${crossed} bytes`);
    }
  });

  it('show the data in the page sooner than in a viewer that parses and posts all rows', () => {
    const { seed, seedData, ours } = figures.openings;
    for (const { rows } of [...seed, ...seedData]) assert.ok(rows > 100);
    assert.ok(ours.every((opening) => dataMs(opening) > 0));
    const ratio = dataRatio(figures);
    console.log(`      ${ratio.toFixed(1)} times as fast`);
    assert.ok(ratio > 1, `${ratio.toFixed(2)} times`);
  });

  it('state for each appended row when it was visible', () => {
    assert.equal(figures.appends.length, QUICK_SIZE.appends);
    for (const each of figures.appends) assert.ok(each > 0, `${each} ms`);
  });

  it('state for each key that is pressed in the filter of the list when the list was painted', () => {
    const { sessions, keys } = figures.filter;
    assert.equal(sessions, QUICK_SIZE.listed);
    assert.ok(keys.length > 20, `${keys.length} keys`);
    for (const each of keys) assert.ok(each > 0, `${each} ms`);
  });

  it('reach the first and the last row of a long session, and include the memory on the way', () => {
    const { empty, long } = figures.memory;
    for (const bytes of [...empty, ...long]) assert.ok(bytes > 1e6, `${bytes} bytes`);
  });
});
