import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { TokensAction, TokensNavigation, TokensSnapshot } from '../../protocol/channels/tokensView';
import type { Translate } from '../ui/texts';
import type { Figures } from '../ui/createFigures';

/** State and functions common to all parts of a page. */
export interface TokensApp {
  readonly snapshot: Signal<TokensSnapshot>;
  readonly navigation: Signal<TokensNavigation>;
  /** Why an action of the person failed, in a sentence. */
  readonly failure: Signal<string | null>;
  readonly figures: Figures;
  readonly t: Translate;
  readonly act: (action: TokensAction) => void;
  /** Opens the conversation of a session. */
  readonly openSession: (filePath: string) => void;
}

const Context = createContext<TokensApp | null>(null);

export const ProvideApp = Context.Provider;

/** @throws if used outside the view */
export function useApp(): TokensApp {
  const app = useContext(Context);
  if (app === null) throw new Error('Failed to find the view around a part of it');
  return app;
}
