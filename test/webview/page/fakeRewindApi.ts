import type {
  ChosenFiles,
  KeptRewindPage,
  RewindNavigation,
  RewindView,
} from '../../../src/protocol/channels/rewindView';

/** What the page asked of the extension, by the name of the call. */
export type RewindAsk = readonly [call: string, ...args: readonly unknown[]];

/** The changes to the page of a rewind that a test can trigger in it. */
export interface FakeRewind {
  /** Sends another view. Fields that are not given stay unchanged. */
  change(change: Partial<RewindView>): void;
  view(): RewindView;
  asked(): readonly RewindAsk[];
  /** The files of the last rewind or undo that was asked for. */
  chosen(): ChosenFiles | null;
  /** The boxes as the page last reported them. */
  navigation(): RewindNavigation | null;
  /** The state that the page last stored in VS Code. */
  kept(): KeptRewindPage | null;
  /** The extension refuses actions from here on. */
  refuse(): void;
}

declare global {
  interface Window {
    readonly rewind: FakeRewind;
  }
}
