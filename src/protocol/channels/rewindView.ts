import * as v from 'valibot';
import { call, type Calls, cancellable, defineChannel, event, notice, type Schemas } from '../channel';
import type { FileComparison } from '../history';

/** Between the page on which files are rewound and the extension. */
export const rewindViewChannel = defineChannel(
  'rewindView',
  {
    /** The first call: returns what to show. Later views follow as events. */
    ready: call<() => RewindStart>({ timeoutMs: 120_000 }),
    navigated: notice<(navigation: RewindNavigation) => void>(),
    /** Plans the rewind to before another prompt. */
    choosePrompt: notice<(promptUuid: string) => void>(),
    /** Inspects the files once more. */
    lookAgain: notice<() => void>(),
    /** Lets the rewind change the files below one of the folders that the view suggests. */
    allowFolder: notice<(folder: string) => void>(),
    /** Lets the person choose a folder on the disk. */
    chooseFolder: cancellable<() => void>(),
    /** What changes in a file of the plan. */
    compare: call<(path: string) => FileComparison>({ timeoutMs: 120_000 }),
    /** Rewinds the files that the person named, unless the view has another plan by then. Goes on when the page is closed. */
    rewind: cancellable<(request: ChosenFiles) => void>(),
    /** Undoes the newest rewind. `null`: the person has seen no list of its files, and may have to. Goes on when the page is closed. */
    undo: cancellable<(request: ChosenFiles | null) => void>(),
    act: notice<(action: RewindPageAction) => void>(),
  },
  // Not answered, because a hidden page cannot answer.
  { changed: event<(view: RewindView) => void>() },
);

export type RewindViewCalls = Calls<typeof rewindViewChannel>;

export interface ChosenFiles {
  /** That of the list in which the person chose. */
  readonly token: string;
  /** Absolute. */
  readonly paths: readonly string[];
}

export type RewindPageAction =
  /** Shows a message of the conversation by its 1-based line. */
  | { readonly kind: 'showMessage'; readonly line: number }
  /** A file that the view names. */
  | { readonly kind: 'openFile'; readonly path: string }
  | { readonly kind: 'openDiff'; readonly path: string }
  | { readonly kind: 'showSafetyCopy' }
  | { readonly kind: 'showLog' };

/** The state of the page that outlives it: the boxes that the person changed, and the file whose diff is shown. */
export interface RewindNavigation {
  /** What the list is about: the prompt, or the undoing. */
  readonly about: string;
  /** That of the list to which it belongs. */
  readonly token: string;
  readonly checked: readonly string[];
  readonly unchecked: readonly string[];
  readonly shownPath: string | null;
}

/** In display order. */
export const FILE_GROUPS = ['changing', 'doubtful', 'outside', 'sensitive', 'left'] as const;

/**
 * `changing`: checked unless the person unchecks it. `left`: cannot be checked. All others are changed only if the person
 * checks their box.
 */
export type FileGroup = (typeof FILE_GROUPS)[number];

/** What happens to a file. */
export type FileChange = 'restore' | 'delete' | 'create';

export interface ListedFile {
  /** Absolute; identifies the file. */
  readonly path: string;
  /** The path as shown. */
  readonly name: string;
  readonly group: FileGroup;
  /** Null if it is not known, or nothing happens. */
  readonly change: FileChange | null;
  /** Lines. */
  readonly insertions: number;
  readonly deletions: number;
  /** What else changes, such as permissions; empty if nothing does. */
  readonly facts: string;
  /** Why the person has to check it, or cannot; one sentence. Null if there is nothing to say. */
  readonly why: string | null;
}

/** Where a line about something leads. */
export type NoteTarget =
  { readonly kind: 'message'; readonly line: number } | { readonly kind: 'file'; readonly path: string };

export interface NoteLine {
  readonly words: string;
  readonly target: NoteTarget | null;
  /** Path of the file with which this happens; absent if it happens, whatever the person checks. */
  readonly onlyWith?: string;
  /** Paths of the files whose late copies the words count: the page counts those that the person checks. Absent otherwise. */
  readonly lateCopies?: readonly string[];
}

/** What is not restored, of one kind. */
export interface NoteGroup {
  readonly heading: string;
  readonly explanation: string | null;
  readonly notes: readonly NoteLine[];
}

/** A prompt to go back to. */
export interface ListedPrompt {
  readonly promptUuid: string;
  readonly words: string;
  /** Its age and what would change, or why it is impossible. */
  readonly facts: string;
  readonly isPossible: boolean;
}

export interface ShownPlan {
  /** Identifies the list. */
  readonly token: string;
  readonly files: readonly ListedFile[];
  readonly notRestored: readonly NoteGroup[];
  readonly isLive: boolean;
}

export interface ShownUndo {
  /** Identifies the list. */
  readonly token: string;
  /** When the rewind was made: “5 minutes ago”. */
  readonly rewoundAgo: string;
  readonly files: readonly ListedFile[];
  readonly isLive: boolean;
}

export type RewindStage =
  | { readonly kind: 'looking' }
  /** No folder of the session is open: the person says which one may be changed. */
  | { readonly kind: 'folder'; readonly suggestions: readonly FolderSuggestion[] }
  | { readonly kind: 'plan'; readonly plan: ShownPlan }
  /** Nothing can be done here; one sentence or two. */
  | { readonly kind: 'nothing'; readonly message: string; readonly notRestored: readonly NoteGroup[] }
  | { readonly kind: 'undo'; readonly undo: ShownUndo }
  /** The last action succeeded. */
  | { readonly kind: 'done'; readonly message: string; readonly canUndo: boolean };

export interface FolderSuggestion {
  /** Absolute. */
  readonly path: string;
  /** Open in the window; otherwise, the transcript names it. */
  readonly isOpen: boolean;
}

/** What became of the last action. */
export interface RewindNotice {
  readonly kind: 'error' | 'warning';
  /** One sentence or several. */
  readonly message: string;
  readonly buttons: readonly NoticeButton[];
}

export type NoticeButton = 'undo' | 'showSafetyCopy' | 'showLog';

/** Everything that the page shows. */
export interface RewindView {
  /** Increases with each view. */
  readonly revision: number;
  /** Of the session. */
  readonly title: string;
  /** Latest first. */
  readonly prompts: readonly ListedPrompt[];
  /** Null if the page is not about one. */
  readonly promptUuid: string | null;
  readonly stage: RewindStage;
  readonly busy: 'rewinding' | 'undoing' | null;
  readonly notices: readonly RewindNotice[];
  /** Paths of files of the stage with changes in an editor that are not saved. */
  readonly unsaved: readonly string[];
}

/** What VS Code keeps of a page, so that it comes back after the window was reloaded. */
export interface KeptRewindPage {
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly title: string;
  /** The session's working folder, as its transcript says; only a suggestion. */
  readonly cwd: string | null;
  /** Null for the undoing of the newest rewind. */
  readonly promptUuid: string | null;
}

export interface RewindStart {
  readonly view: RewindView;
  readonly navigation: RewindNavigation | null;
  /** Texts of the page in the window's language, keyed by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** Used to format numbers. */
  readonly locale: string;
  /** What the page stores with VS Code; its prompt is that of the view. */
  readonly kept: Omit<KeptRewindPage, 'promptUuid'>;
}

const MAX_PATHS = 100_000;

/**
 * Calls from a page are refused unless they match the types. The page itself does not need the schemas: the call is marked
 * as pure, so it is left out of the page's bundle.
 */
export const rewindViewSchemas = /* @__PURE__ */ createRewindViewSchemas();

function createRewindViewSchemas() {
  const PATH = v.pipe(v.string(), v.minLength(1), v.maxLength(32_768));
  const PATHS = v.pipe(v.array(PATH), v.maxLength(MAX_PATHS));
  const ID = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
  const TOKEN = v.pipe(v.string(), v.maxLength(200));
  const CHOSEN = v.object({ token: TOKEN, paths: PATHS });
  const KEPT = v.object({
    filePath: PATH,
    title: v.pipe(v.string(), v.maxLength(1000)),
    cwd: v.nullable(PATH),
    promptUuid: v.nullable(ID),
  });
  const calls: Schemas<typeof rewindViewChannel> = {
    ready: v.tuple([]),
    navigated: v.tuple([
      v.object({ about: ID, token: TOKEN, checked: PATHS, unchecked: PATHS, shownPath: v.nullable(PATH) }),
    ]),
    choosePrompt: v.tuple([ID]),
    lookAgain: v.tuple([]),
    allowFolder: v.tuple([PATH]),
    chooseFolder: v.tuple([]),
    compare: v.tuple([PATH]),
    rewind: v.tuple([CHOSEN]),
    undo: v.tuple([v.nullable(CHOSEN)]),
    act: v.tuple([
      v.variant('kind', [
        v.object({
          kind: v.literal('showMessage'),
          line: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
        }),
        v.object({ kind: v.picklist(['openFile', 'openDiff']), path: PATH }),
        v.object({ kind: v.picklist(['showSafetyCopy', 'showLog']) }),
      ]),
    ]),
  };
  return { KEPT, calls };
}
