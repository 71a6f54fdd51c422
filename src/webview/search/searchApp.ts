import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Formats, Translate } from '../ui/texts';
import type { SearchState } from './searchState';

/** State and functions common to all parts of the view. */
export interface SearchApp {
  readonly state: SearchState;
  readonly formats: Formats;
  readonly t: Translate;
}

const Context = createContext<SearchApp | null>(null);

export const ProvideApp = Context.Provider;

/** @throws if used outside the view */
export function useApp(): SearchApp {
  const app = useContext(Context);
  if (app === null) throw new Error('Failed to find the view around a part of it');
  return app;
}
