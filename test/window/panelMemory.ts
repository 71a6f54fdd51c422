import type { CDPSession, Frame } from 'playwright-core';
import type { MeasuredWindow } from './measuredWindow';
import type { ScrollOptions } from './page/pageProbe';
import { FIRST_ROW, LAST_ROW, type WindowSessions } from './windowSessions';
import type { WindowSizes } from './windowSizes';

/** Bytes of the panel's process after a garbage collection: JavaScript's heap, and the DOM. */
export interface PanelMemory {
  /** With a session of one row open, before the long one and after it. */
  readonly empty: readonly [number, number];
  /** With the long one open: at its end, at its beginning, and at the end again. */
  readonly long: readonly [number, number, number];
}

const SETTLED_TIMEOUT_MS = 5000;

/** @throws if the very first or the very last row is not reached */
export async function measurePanelMemory(
  window: MeasuredWindow,
  { empty, long }: WindowSessions,
  { scrollSteps }: WindowSizes,
): Promise<PanelMemory> {
  const before = await memoryOf(window, empty);
  await openAndWait(window, long);
  const session = await sessionOfPanel(window);
  await expectRow(window, LAST_ROW);
  const atEnd = await usedBytes(session);
  await scroll(window, { steps: scrollSteps, isUp: true, timeoutMs: SETTLED_TIMEOUT_MS });
  await expectRow(window, FIRST_ROW);
  const atBeginning = await usedBytes(session);
  await scroll(window, { steps: scrollSteps, isUp: false, timeoutMs: SETTLED_TIMEOUT_MS });
  await expectRow(window, LAST_ROW);
  const again = await usedBytes(session);
  await session.detach();
  await window.closePanels();
  return { empty: [before, await memoryOf(window, empty)], long: [atEnd, atBeginning, again] };
}

async function scroll(window: MeasuredWindow, options: ScrollOptions): Promise<void> {
  await window.panel().evaluate((_body, given) => globalThis.window.rethreadProbe.scrollThrough(given), options);
}

async function memoryOf(window: MeasuredWindow, filePath: string): Promise<number> {
  await openAndWait(window, filePath);
  const session = await sessionOfPanel(window);
  const bytes = await usedBytes(session);
  await session.detach();
  await window.closePanels();
  return bytes;
}

async function openAndWait(window: MeasuredWindow, filePath: string): Promise<void> {
  await window.ask('open', { filePath });
  await window.panel().locator('.item').first().waitFor();
}

/** A visible row with this text. */
async function expectRow(window: MeasuredWindow, text: string): Promise<void> {
  await window
    .panel()
    .locator('.item', { hasText: text })
    .first()
    .waitFor({ state: 'visible', timeout: SETTLED_TIMEOUT_MS });
}

/** In a browser, panels are in the process of the window; if one has a process of its own, that is measured. */
async function sessionOfPanel(window: MeasuredWindow): Promise<CDPSession> {
  const context = window.page.context();
  const frame = window.page.frames().find((each: Frame) => each.url().includes('/webview/browser/pre/fake.html'));
  if (frame === undefined) throw new Error("Failed to find the panel's frame");
  return context.newCDPSession(frame).catch(() => context.newCDPSession(window.page));
}

async function usedBytes(session: CDPSession): Promise<number> {
  // Objects released by the first collection may hold more.
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage');
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}
