import type { Page } from 'playwright-core';
import './page/fakeRewindApi';
import { type PageOptions, usePage } from './usePage';

export interface RewindOptions extends PageOptions {
  readonly scenario?: string;
}

/** Opens the Rewind page for the tests of the suite that calls it. */
export function useRewind(): (options?: RewindOptions) => Promise<Page> {
  const open = usePage({
    bundle: 'rewind',
    title: 'Rewind',
    host: 'fakeRewindHost',
    files: ['highlight.js'],
    viewport: { width: 1100, height: 700 },
    ready: '.page',
  });
  return async ({ scenario, ...options } = {}) => (await open({ ...options, asked: { scenario } })).page;
}
