import type { Page } from 'playwright-core';
import './page/fakeSearchApi';
import { type PageOptions, usePage } from './usePage';

export interface SearchOptions extends PageOptions {
  readonly scenario?: string;
}

/** Opens the Search view for the tests of the suite that calls it. */
export function useSearch(): (options?: SearchOptions) => Promise<Page> {
  const open = usePage({
    bundle: 'search',
    title: 'Search',
    host: 'fakeSearchHost',
    viewport: { width: 320, height: 700 },
    ready: '.view',
  });
  return async ({ scenario, ...options } = {}) =>
    (await open({ background: 'sideBar', ...options, asked: { scenario } })).page;
}
