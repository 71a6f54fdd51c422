// How a conversation is named by what comes from outside the extension: links, documents, panels and the pages in them. Everything
// here answers at once and without the worker, because it decides what the worker may be asked.
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, normalize, sep } from 'node:path';
import * as v from 'valibot';
import { ALL_PARTS, type PanelNavigation, panelSchemas, type ShownParts } from '../../protocol/channels/panel';
import type { FindQuery } from '../../protocol/conversation';
import type { RepairScope } from '../../protocol/repair';
import { SESSION_SCHEME } from '../config/contributions';
import { configDirOf } from '../config/settings';
import { shorten } from '../text/formats';

const { BLOCK_PATH, LINE, NAVIGATION, PATH, SHOWN_PARTS } = panelSchemas;

const MAX_PATH_LENGTH = 4096;
const SUBAGENT_NAME = /^agent-[\w-]+\.jsonl$/;

/** Whether a path is absolute, normalised, and has the suffix of a transcript. */
function isTranscriptPath(path: string): boolean {
  return isPlainPath(path) && path.endsWith('.jsonl');
}

function isPlainPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && !path.includes('\0') && isAbsolute(path) && normalize(path) === path;
}

/** Whether a path is that of a session's or a subagent's transcript below one of the config folders. The file need not exist. */
export function isTranscriptOf(configDirs: readonly string[], path: string): boolean {
  return isTranscriptPath(path) && configDirOf(path, configDirs) !== null;
}

/** Whether a panel may name a transcript: the one that it shows, and those of the session's subagents. */
export function isTranscriptOfPanel(panelPath: string, path: string): boolean {
  if (path === panelPath) return true;
  if (!isTranscriptPath(path)) return false;
  // Clients before 2.1 kept the transcripts of subagents beside that of the session.
  if (dirname(path) === dirname(panelPath) && SUBAGENT_NAME.test(basename(path))) return true;
  return path.startsWith(sessionFolder(panelPath) + sep);
}

/** Whether the session of a transcript is at another place now, and the transcript is gone from the first, as after its folder was renamed. */
export function isLeftBehind(filePath: string, placeNow: string): boolean {
  return filePath !== placeNow && basename(filePath) === basename(placeNow) && !existsSync(filePath);
}

/** How a message names an output that slimming has moved to a file: relative to the folder of the transcript. */
const MOVED_OUTPUT = /^(?!\.)[^/\\\0]{1,255}\/removed\/[0-9a-f]{16}\.[a-z]{3,4}$/;

/** Whether a panel may read a persisted output. They are in the folders of sessions; a fork names the outputs of its origin. */
export function isOutputOfPanel(panelPath: string, path: string): boolean {
  if (MOVED_OUTPUT.test(path)) return true;
  if (!isPlainPath(path)) return false;
  const projectFolder = dirname(sessionFolder(panelPath));
  if (!path.startsWith(projectFolder + sep)) return false;
  return basename(dirname(path)) === 'tool-results' && dirname(dirname(dirname(path))) === projectFolder;
}

/** The folder beside a session's transcript that has its name. */
function sessionFolder(panelPath: string): string {
  const folder = dirname(panelPath);
  return basename(folder) === 'subagents' ? dirname(folder) : panelPath.slice(0, -'.jsonl'.length);
}

/** Which parts of messages are shown, from the stored state; all if it contains no choice. */
export function readShownParts(stored: unknown): ShownParts {
  const parts = v.safeParse(SHOWN_PARTS, stored);
  return parts.success ? parts.output : ALL_PARTS;
}

/** Path of links to conversations, within the extension's URIs. */
export const LINK_PATH = '/conversation';

export interface ConversationTarget {
  readonly filePath: string;
  /** 1-based line of the row to show; null for the last position, or the end. */
  readonly line: number | null;
  /** The query that matched the row. */
  readonly find?: FindQuery | null;
  /** Which repair is offered, where the history is broken. */
  readonly offersRepair?: RepairScope;
}

const TARGET = v.object({ filePath: PATH, line: v.optional(v.nullable(LINE), null) });

/** The target `{ filePath, line }` of a link in a document; null if it is not a link to a transcript of the config folders. */
export function readTarget(argument: unknown, configDirs: readonly string[]): ConversationTarget | null {
  const target = v.safeParse(TARGET, argument);
  const isKnown = target.success && isTranscriptOf(configDirs, target.output.filePath);
  return isKnown ? target.output : null;
}

/** The encoded query of a link to a conversation. */
export function linkQuery({ filePath, line }: ConversationTarget): string {
  const file = `file=${encodeURIComponent(filePath)}`;
  return line === null ? file : `${file}&line=${String(line)}`;
}

/**
 * The target of a link; null if it is not a link to a conversation. `query`: as in `vscode.Uri`, decoded once, so that an
 * ampersand in a path is literal. A link can come from anywhere, so callers must check the path.
 */
export function readLink(path: string, query: string): ConversationTarget | null {
  if (path !== LINK_PATH) return null;
  const [, file, line] = /^file=(.+?)(?:&line=([1-9]\d{0,14}))?$/.exec(query) ?? [];
  if (file === undefined) return null;
  const filePath = file.startsWith('%') ? decode(file) : file;
  return filePath === null ? null : { filePath, line: line === undefined ? null : Number(line) };
}

/** An absolute path does not begin with a percent sign; if it does, it is still encoded. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The parts of a URI that name something. */
export interface AddressParts {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}

/** The icon of the tabs is contributed for paths that begin with it. */
const SESSION_FOLDER = '/rethread-session/';
/** VS Code takes a title such as `Fix README.md` for the name of a file, unless a character that nobody sees follows it. */
const TITLE_END = '\u2060';
/** As people count them. */
const MAX_TITLE_CHARACTERS = 120;

/**
 * The address of a conversation in an editor. Up to VS Code 1.105, the title of a tab is the last part of its path. The query alone names
 * the session, whose title changes.
 */
export function sessionAddress(filePath: string, title: string): AddressParts {
  const plain = title
    .replaceAll('/', '∕')
    .replaceAll('\\', '∖')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
  const name = shorten(plain, MAX_TITLE_CHARACTERS);
  return { scheme: SESSION_SCHEME, path: `${SESSION_FOLDER}${name}${TITLE_END}`, query: filePath };
}

/** The path of the transcript that the address of a conversation names; null if it is no such address. The file need not exist. */
export function readSessionAddress({ scheme, query }: AddressParts): string | null {
  return scheme === SESSION_SCHEME && isTranscriptPath(query) ? query : null;
}

/** The path of the transcript in a file that a person opens as a conversation; null if it is none. */
export function readTranscriptFile({
  scheme,
  fsPath,
}: {
  readonly scheme: string;
  readonly fsPath: string;
}): string | null {
  return scheme === 'file' && isTranscriptPath(fsPath) ? fsPath : null;
}

const STATE = v.object({ filePath: v.pipe(PATH, v.check(isTranscriptPath)), ...NAVIGATION.entries });
const KEPT = v.array(v.object({ title: v.string(), navigation: STATE }));

/** A conversation with the title of its tab, the only information that VS Code has of a panel whose page stored no state. */
export interface KeptConversation {
  readonly title: string;
  readonly navigation: PanelNavigation;
}

/** The conversations that the extension stored before the window was reloaded; none if they cannot be read. */
export function readKept(kept: unknown): readonly KeptConversation[] {
  const checked = v.safeParse(KEPT, kept);
  return checked.success ? checked.output : [];
}

/**
 * The position of a panel of an earlier version; null if unknown. `state` is what its page gave to VS Code. `kept` are those
 * that the extension saved, which are never older: VS Code in a browser saves the state of a page up to a minute after the tab. A
 * panel without a state is identified by its title, unless another one had the same.
 */
export function readPanelState(
  state: unknown,
  kept: readonly KeptConversation[],
  title: string,
): PanelNavigation | null {
  const parsed = v.safeParse(STATE, state);
  if (parsed.success) {
    const { filePath } = parsed.output;
    return kept.find(({ navigation }) => navigation.filePath === filePath)?.navigation ?? parsed.output;
  }
  const [panel, ...others] = kept.filter((each) => each.title === title);
  return panel === undefined || others.length > 0 ? null : panel.navigation;
}

const ROW = { filePath: v.pipe(PATH, v.check(isTranscriptPath)), line: LINE };
const ROW_ADDRESS = v.object(ROW);
const EDIT_ADDRESS = v.object({ ...ROW, path: BLOCK_PATH, side: v.picklist(['before', 'after']) });

export type RowAddress = v.InferOutput<typeof ROW_ADDRESS>;
export type EditAddress = v.InferOutput<typeof EDIT_ADDRESS>;

/** Parses the query of a document's URI; null if it names no row. */
export function readRowAddress(query: string): RowAddress | null {
  return parse(ROW_ADDRESS, query);
}

export function readEditAddress(query: string): EditAddress | null {
  return parse(EDIT_ADDRESS, query);
}

function parse<T>(schema: v.GenericSchema<unknown, T>, query: string): T | null {
  const checked = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), query);
  return checked.success ? checked.output : null;
}
