import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChosenFiles, RewindPageAction, RewindView } from '../../protocol/channels/rewindView';
import type { FileComparison } from '../../protocol/history';
import type { Formats, Translate } from '../ui/texts';
import type { FileChoice } from './fileChoice';

/** State and functions common to all parts of the page. */
export interface RewindApp {
  readonly view: Signal<RewindView>;
  readonly choice: FileChoice;
  /** Why an action of the person failed, in a sentence. */
  readonly failure: Signal<string | null>;
  /** BCP 47. */
  readonly locale: string;
  readonly formats: Formats;
  readonly t: Translate;
  readonly choosePrompt: (promptUuid: string) => void;
  readonly lookAgain: () => void;
  readonly allowFolder: (folder: string) => void;
  readonly chooseFolder: () => void;
  readonly compare: (path: string) => Promise<FileComparison>;
  readonly rewind: (chosen: ChosenFiles) => void;
  readonly undo: (chosen: ChosenFiles | null) => void;
  readonly act: (action: RewindPageAction) => void;
}

const Context = createContext<RewindApp | null>(null);

export const ProvideApp = Context.Provider;

/** @throws if used outside the page */
export function useApp(): RewindApp {
  const app = useContext(Context);
  if (app === null) throw new Error('Failed to find the page around a part of it');
  return app;
}
