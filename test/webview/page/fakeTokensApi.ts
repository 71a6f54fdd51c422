import type { TokensAction, TokensNavigation, TokensSnapshot } from '../../../src/protocol/channels/tokensView';

/** The changes to a page with tokens that a test can trigger in the page. */
export interface FakeTokens {
  /** Sends a new snapshot. Fields that are not given stay unchanged. */
  change(change: Partial<TokensSnapshot>): void;
  snapshot(): TokensSnapshot;
  actions(): readonly TokensAction[];
  /** The paths of the sessions that the page asked to open. */
  opened(): readonly string[];
  /** The state that the view last stored in VS Code. */
  kept(): TokensNavigation | null;
  /** The extension refuses actions from here on. */
  refuse(): void;
}

declare global {
  interface Window {
    readonly tokens: FakeTokens;
  }
}
