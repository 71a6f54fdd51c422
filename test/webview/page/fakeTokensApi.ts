import type { TokensAction, TokensNavigation, TokensSnapshot } from '../../../src/protocol/channels/tokensView';

/** What a test can have happen to the Tokens view in the page. */
export interface FakeTokens {
  /** Tells a new snapshot: what is not named stays as it was. */
  change(change: Partial<TokensSnapshot>): void;
  snapshot(): TokensSnapshot;
  actions(): readonly TokensAction[];
  /** What the view last had VS Code keep. */
  kept(): TokensNavigation | null;
  /** The host refuses actions from here on. */
  refuse(): void;
}

declare global {
  interface Window {
    readonly tokens: FakeTokens;
  }
}
