import { readFileSync, statSync } from 'node:fs';
import { createRandom, type Random } from '../support/random';
import { readRow, splitRows } from '../support/rowText';
import type { Place } from './places';

/** The commands whose answers are compared. */
export const COMMANDS = ['scan', 'repair', 'show', 'usage', 'tasks', 'fork', 'checkpoints'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** One command line. */
export interface Invocation {
  readonly command: CommandName;
  readonly argv: readonly string[];
}

const GROUPINGS = ['session', 'project', 'day', 'model'] as const;
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;
/** Rows of larger transcripts are taken from the beginning and the end. */
const MAX_PICKED_BYTES = 1024 * 1024;

/** The command lines for a transcript: each command at least once, with options drawn from the seed. */
export function listInvocations(place: Place, filePath: string, seed: number): Invocation[] {
  const random = createRandom(seed ^ 0x2545f491);
  const rows = pickableRows(filePath);
  const any = (): string => pickOf(random, rows.all) ?? 'no-such-row';
  const prompt = (): string => pickOf(random, rows.prompts) ?? any();
  const invocation = (command: CommandName, ...options: readonly string[]): Invocation => ({
    command,
    argv: [command, '--json', ...options],
  });
  return [
    invocation('scan', filePath),
    // For the whole home.
    invocation('scan'),
    invocation('repair', '--dry-run', random.chance(0.5) ? filePath : place.configDir),
    invocation('show', filePath),
    invocation(
      'show',
      filePath,
      '--branch',
      random.chance(0.8) ? any() : String(1 + random.below(rows.all.length + 1)),
    ),
    invocation('show', filePath, '--from', String(random.below(6)), '--count', String(1 + random.below(5))),
    invocation('usage', '--time-zone', random.pick(TIME_ZONES), '--by', random.pick(GROUPINGS)),
    invocation('usage', '--time-zone', 'UTC', '--by', random.pick(GROUPINGS), filePath),
    invocation('tasks', filePath),
    invocation('fork', filePath),
    invocation('fork', filePath, '--at', any(), '--title', 'A title'),
    invocation('fork', filePath, '--at', prompt(), '--before'),
    invocation('checkpoints', filePath),
  ];
}

/** uuids of the rows, and of those that may be prompts. */
function pickableRows(filePath: string): { readonly all: string[]; readonly prompts: string[] } {
  const picked: { all: string[]; prompts: string[] } = { all: [], prompts: [] };
  if (statSync(filePath, { throwIfNoEntry: false })?.isFile() !== true) return picked;
  const bytes = readFileSync(filePath);
  for (const row of splitRows(bytes.subarray(-MAX_PICKED_BYTES))) {
    const fields = readRow(row);
    // An argument that begins with a dash would be an option.
    if (typeof fields?.uuid !== 'string' || !/^[^-\0]/.test(fields.uuid)) continue;
    picked.all.push(fields.uuid);
    if (fields.type === 'user' && typeof fields.message?.content === 'string') picked.prompts.push(fields.uuid);
  }
  return picked;
}

function pickOf(random: Random, from: readonly string[]): string | undefined {
  return from[random.below(from.length)];
}

/** Whether an answer contains anything on which the two builds could disagree. */
export function hasContent(command: CommandName, answer: Answer): boolean {
  const document = parseDocument(answer.stdout);
  switch (command) {
    case 'scan':
      return listOf(document, 'sessions').length > 0;
    case 'repair':
      return listOf(document, 'results').some((result) => listOf(result, 'edits').length > 0);
    case 'show':
      return listOf(document, 'messages').length > 0;
    case 'usage':
      return listOf(document, 'rows').length > 0;
    case 'tasks':
      return listOf(document, 'tasks').length > 0;
    case 'fork':
      return answer.created.length > 0;
    case 'checkpoints':
      return listOf(document, 'checkpoints').length > 0;
  }
}

/** The complete output of one command line. */
export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The files that it wrote, by paths from the root, in order. */
  readonly created: readonly { readonly path: string; readonly content: string }[];
}

/** Null if it is not exactly one JSON document. */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function listOf(value: unknown, key: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  // SAFETY: an object; what it holds stays unknown.
  const list = (value as Record<string, unknown>)[key];
  return Array.isArray(list) ? list : [];
}
