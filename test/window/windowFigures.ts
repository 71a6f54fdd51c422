import { statSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { join } from 'node:path';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import type { VscodeInstallation } from '../../scripts/setupVscode.mjs';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { measureAppends } from './appends';
import { type ListFilter, measureListFilter } from './listFilter';
import { MeasuredWindow } from './measuredWindow';
import { measureOpenings, type Openings } from './openings';
import { measurePanelMemory, type PanelMemory } from './panelMemory';
import { writeWindowSessions } from './windowSessions';
import type { WindowSizes } from './windowSizes';

/** All measurements in a window. */
export interface WindowFigures {
  readonly vscode: string;
  readonly browser: string;
  /** Bytes of the session that is opened. */
  readonly sessionBytes: number;
  readonly openings: Openings;
  /** Milliseconds from writing each row to painting it. */
  readonly appends: readonly number[];
  readonly memory: PanelMemory;
  readonly filter: ListFilter;
}

export interface WindowMeasuring {
  readonly installation: VscodeInstallation;
  readonly browser: Browser;
  /** Reports progress to the person. */
  readonly log: (line: string) => void;
}

export async function measureWindow(sizes: WindowSizes, { log, ...parts }: WindowMeasuring): Promise<WindowFigures> {
  log('the filter of the list');
  const filter = await measureListFilter(sizes, parts);
  return withTemporaryFolder(async (folder) => {
    log('sessions');
    const sessions = writeWindowSessions(join(folder, 'home', '.claude'), sizes);
    const sessionBytes = statSync(sessions.large).size;
    const window = await MeasuredWindow.open({ ...parts, folder });
    try {
      log('openings');
      const openings = await measureOpenings(window, sessions, sizes);
      log('appended rows');
      const appends = await measureAppends(window, sessions, sizes);
      log('memory');
      const memory = await measurePanelMemory(window, sessions, sizes);
      return {
        vscode: NEWEST.vscode,
        browser: parts.browser.version(),
        sessionBytes,
        openings,
        appends,
        memory,
        filter,
      };
    } finally {
      await window.stop();
    }
  });
}
