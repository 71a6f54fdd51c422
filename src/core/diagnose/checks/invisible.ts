import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Finding, RepairEdit } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { sessionFolderOf, sessionIdOf, transcriptNameOf } from '../../providers/claude/format/paths';
import {
  findListGaps,
  firstValue,
  LIST_END_BYTES,
  type ListGap,
  SIDECHAIN_FORMS,
  type TranscriptEnds,
} from '../../providers/claude/format/sessionList';
import { chooseTitle } from '../../providers/claude/format/sessionMetadata';
import type { Splice } from '../../storage/splice';
import { readFileEnd, readFileStart } from '../../util/openForeignFile';
import { parseObject } from '../../util/json';
import type { FileCheck, NamedRepair } from '../check';
import { valueRange } from '../../transcript/jsonMembers';

const CODE = 'invisible';

/**
 * `invisible`: `claude --resume` does not list the session, although it would resume. The list is made from the start and the end of
 * the transcript, by rules that miss some sessions and leave others out on purpose. (docs/format.md, "The client's list")
 */
export const invisible: FileCheck = {
  kind: 'file',
  code: CODE,
  find(filePath, loaded): Finding[] {
    const gaps = gapsOf(filePath, loaded);
    const [first] = gaps;
    if (first === undefined) return [];
    const canShow = planShown(filePath, loaded, gaps) !== null;
    const outcome = canShow ? ` To have it listed, use repair --class ${CODE}.` : '';
    const message = `${reasonOf(first)} It can be resumed with claude --resume ${sessionIdOf(filePath)}.${outcome}`;
    return [{ code: CODE, severity: 'info', action: canShow ? 'ask' : 'tell', lines: [], uuids: [], message }];
  },
  byName(filePath, loaded): NamedRepair | null {
    return planShown(filePath, loaded, gapsOf(filePath, loaded));
  },
};

function reasonOf(gap: ListGap): string {
  switch (gap.kind) {
    case 'subagent-rows':
      return 'claude --resume does not list this session, because the first 64 KiB of its file contain messages of a subagent.';
    case 'team':
      return 'claude --resume does not list this session, because it belongs to an agent team.';
    case 'continued':
      return `claude --resume does not list this session, because it was continued in the session ${gap.sessionId}.`;
    case 'service':
      return "claude --resume does not list this session, because Claude Code's background service started it.";
    case 'program':
      return `claude --resume does not list this session, because a program started it (${gap.entrypoint}).`;
    case 'loop':
      return 'claude --resume does not list this session, because it began with /loop.';
    case 'untitled':
      return 'claude --resume lists this session as “(session)”, because neither a title nor a prompt is near the start or the end of its file.';
  }
}

/** None for a session in which there is nothing to resume. */
function gapsOf(filePath: string, { index, summary }: LoadedTranscript): readonly ListGap[] {
  if (index.rows.messages === 0 || summary.loads === 0) return [];
  const hasMark = existsSync(join(sessionFolderOf(filePath), 'custom-title.json'));
  const gaps = findListGaps(readEnds(filePath), (sessionId) => holdsMessages(dirname(filePath), sessionId));
  return hasMark ? gaps.filter(({ kind }) => kind !== 'untitled') : gaps;
}

/** A session that was continued is left out only if there is something in the other. */
function holdsMessages(folder: string, sessionId: string): boolean {
  const filePath = join(folder, transcriptNameOf(sessionId));
  if (!existsSync(filePath)) return false;
  const { head, tail } = readEnds(filePath);
  return `${head}${tail}`.includes('"parentUuid":');
}

function readEnds(filePath: string): TranscriptEnds {
  return {
    head: readFileStart(filePath, LIST_END_BYTES).bytes.toString('latin1'),
    tail: readFileEnd(filePath, LIST_END_BYTES).bytes.toString('utf8'),
  };
}

/** The least edits after which the client lists the session. Null if it leaves the session out on purpose, or there is no name for it. */
function planShown(filePath: string, loaded: LoadedTranscript, gaps: readonly ListGap[]): NamedRepair | null {
  // Each byte is one unit, so that places in the text are offsets in the file.
  const { head } = readEnds(filePath);
  const parts = gaps.map((gap) => editsFor(gap, filePath, head, loaded));
  const found = parts.filter((part) => part !== null).flat();
  if (found.length === 0 || parts.includes(null)) return null;
  const inOrder = found.toSorted((a, b) => a.splice.offset - b.splice.offset);
  return {
    edits: inOrder.map(({ edit }) => edit),
    splices: inOrder.map(({ splice }) => splice),
    isProven: (after) => loadsTheSame(loaded, after),
  };
}

interface Edit {
  readonly edit: RepairEdit;
  readonly splice: Splice;
}

/** Null if nothing is to be changed about it. */
function editsFor(gap: ListGap, filePath: string, head: string, loaded: LoadedTranscript): readonly Edit[] | null {
  switch (gap.kind) {
    case 'program':
      return terminalEntrypoint(head);
    case 'subagent-rows':
      return placesOf(head, SIDECHAIN_FORMS).map((at): Edit => {
        const why = 'claude --resume looks for this text without the space. Its meaning stays the same.';
        const line = lineAt(head, at);
        const [from, to] = ['"isSidechain":true', '"isSidechain" :true'];
        const splice = { offset: at + '"isSidechain"'.length, length: 0, bytes: SPACE };
        return { edit: { line, uuid: null, field: 'isSidechain', from, to, why }, splice };
      });
    case 'untitled':
      return titleAppended(filePath, loaded);
    case 'team':
    case 'continued':
    case 'service':
    case 'loop':
      return null;
  }
}

/** The first entrypoint in the file is that of a terminal. Null if it does not belong to the row itself. */
function terminalEntrypoint(head: string): readonly Edit[] | null {
  const found = firstValue(head, 'entrypoint');
  if (found === null) return null;
  const lineStart = head.lastIndexOf('\n', found.start) + 1;
  const lineEnd = head.indexOf('\n', found.end);
  const row = head.slice(lineStart, lineEnd < 0 ? undefined : lineEnd);
  // The value and its quotes.
  const range = parseObject(row) === null ? null : valueRange(Buffer.from(row, 'latin1'), 'entrypoint');
  if (range === null || lineStart + range.start !== found.start - 1) return null;
  const why = 'claude --resume lists the sessions of terminals.';
  const splice = { offset: found.start, length: found.end - found.start, bytes: Buffer.from('cli') };
  const line = lineAt(head, found.start);
  return [{ edit: { line, uuid: null, field: 'entrypoint', from: found.text, to: 'cli', why }, splice }];
}

const SPACE = Buffer.from(' ');
const NEWLINE = 0x0a;

/** The row that Claude Code writes for /rename. */
function titleAppended(filePath: string, { index }: LoadedTranscript): readonly Edit[] | null {
  const title = chooseTitle(index.titles);
  if (title === null) return null;
  const { bytes } = readFileEnd(filePath, 1);
  // A backup has the name of its transcript with an ending.
  const sessionId = basename(filePath).slice(0, basename(filePath).indexOf('.'));
  const row = { type: 'custom-title', customTitle: title, sessionId };
  const text = `${bytes[0] === NEWLINE ? '' : '\n'}${JSON.stringify(row)}\n`;
  const why = 'claude --resume looks for a title near the end of the file.';
  const edit = { line: index.lineCount + 1, uuid: null, field: 'line', from: null, to: row, why };
  return [{ edit, splice: { offset: index.fileSize, length: 0, bytes: Buffer.from(text) } }];
}

function placesOf(text: string, forms: readonly string[]): readonly number[] {
  const places: number[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) places.push(at);
  }
  return places.sort((a, b) => a - b);
}

/** 1-based. */
function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** Whether the same rows reach the request in the same order. */
function loadsTheSame(before: LoadedTranscript, after: LoadedTranscript): boolean {
  const [was, is] = [before, after].map((loaded) => Array.from(loaded.history).filter((row) => loaded.isKept(row)));
  return was?.join() === is?.join();
}
