import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../support/fixtures';
import { createRandom, type Random } from '../support/random';

interface Block {
  type: string;
  [field: string]: unknown;
}

/** A row with a message. */
export interface PoisonRow {
  type: string;
  parentUuid?: string | null;
  message: { id?: string; content: string | Block[] };
}

const BASES: readonly [string, ...string[]] = [
  'corrupt/far/00-healthy/44444444-4444-4444-8444-444444444444.jsonl',
  'poison/cases/h0-healthy.jsonl',
  'poison/cases/u12-name-unknown.jsonl',
];

/** The text of a healthy session into which a fault of a class was written at random. */
export function poisonedAtRandom(code: PoisonClass, seed: number): string {
  const random = createRandom(seed * 31 + Object.keys(POISONS).indexOf(code));
  const lines = readFileSync(join(FIXTURES, random.pick(BASES)), 'utf8')
    .trimEnd()
    .split('\n');
  // SAFETY: the rows of the bases are objects, and only those with a message are used.
  const rows = lines.map((line) => JSON.parse(line) as PoisonRow);
  POISONS[code](rows, random);
  return rows.map((row) => JSON.stringify(row)).join('\n') + '\n';
}

/** The blocks of a type in the rows of the user or the assistant. */
function blocks(rows: readonly PoisonRow[], type: string): Block[] {
  return rows.flatMap(({ message }) => blocksOf(message).filter((block) => block.type === type));
}

function blocksOf(message: PoisonRow['message'] | undefined): Block[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function anyOf<T>(list: readonly T[], random: Random): T {
  const found = list[random.below(list.length)];
  if (found === undefined) throw new Error('The base has nothing to poison');
  return found;
}

function prompts(rows: readonly PoisonRow[]): PoisonRow['message'][] {
  return rows
    .filter(({ type, message }) => type === 'user' && typeof message.content === 'string')
    .map(({ message }) => message);
}

/** A call above a row, in the same message or in one of its own, and a prompt between the two. */
function apart(rows: PoisonRow[], row: PoisonRow, call: Block, random: Random): void {
  const prompt = rows.find(({ type, message }) => type === 'user' && typeof message.content === 'string');
  if (prompt === undefined) throw new Error('The base has nothing to poison');
  const [callId, promptId] = ['dddddddd-0000-4000-8000-000000000001', 'dddddddd-0000-4000-8000-000000000002'];
  const id = random.chance(0.5) ? row.message.id : 'msg_apart';
  const calling = {
    ...row,
    uuid: callId,
    message: { ...row.message, ...(id === undefined ? {} : { id }), content: [call] },
  };
  const prompting = { ...prompt, uuid: promptId, parentUuid: callId, message: { role: 'user', content: 'go on' } };
  rows.splice(rows.indexOf(row), 0, calling, prompting);
  row.parentUuid = promptId;
}

/** Each writes one fault of its class into the rows, or throws if they have nothing to write it into. */
export const POISONS = {
  'tool-input': (rows, random) => {
    const call = anyOf(blocks(rows, 'tool_use'), random);
    call['input'] = random.pick<unknown>(['ls -la', '{"command":"ls"}', null, ['ls'], 7, true, undefined]);
  },
  'tool-names': (rows, random) => {
    const call = anyOf(blocks(rows, 'tool_use'), random);
    if (random.chance(0.5)) call['name'] = random.pick(['my.tool/x', '', 'a b', 'n'.repeat(200)]);
    else {
      const [before, after] = [call['id'], random.pick(['functions.Bash:0', 'call|1', 'ü', ' '])];
      for (const block of [...blocks(rows, 'tool_use'), ...blocks(rows, 'tool_result')]) {
        if (block['id'] === before) block['id'] = after;
        if (block['tool_use_id'] === before) block['tool_use_id'] = after;
      }
    }
  },
  'tool-pairing': (rows, random) => {
    // The client puts results first itself where it joins rows.
    const isAlone = (at: number): boolean => [rows[at - 1], rows[at + 1]].every((row) => row?.type === 'assistant');
    const row = anyOf(
      rows.filter(({ message }, at) => blocksOf(message)[0]?.type === 'tool_result' && isAlone(at)),
      random,
    );
    blocksOf(row.message).unshift({ type: 'text', text: `note ${random.below(99)}` });
  },
  'tool-result': (rows, random) => {
    const result = anyOf(blocks(rows, 'tool_result'), random);
    // The client leaves out what is no text of an error, and does not survive null.
    result['is_error'] = true;
    const part = { type: 'text', text: 'part' };
    result['content'] = random.pick<unknown>([
      '',
      [],
      undefined,
      ['plain'],
      [{ type: 'odd' }, 7],
      [null, part],
      [null],
    ]);
  },
  'mcp-type': (rows, random) => {
    const type = random.pick(['audio', 'resource', 'resource_link', 'json', 'video']);
    const inner = { type, data: 'A'.repeat(random.below(5000)), name: '"ü\\' };
    // What is no block at all is refused with the same sentence.
    const entry = random.chance(0.5) ? inner : random.pick<unknown>(['plain', '', null, 7, true, ['x'], { text: 'x' }]);
    anyOf(blocks(rows, 'tool_result'), random)['content'] = random.chance(0.5)
      ? [entry]
      : [{ type: 'text', text: 'part' }, entry];
  },
  'block-type': (rows, random) => {
    const row = anyOf(
      rows.filter(({ message }) => blocksOf(message)[0]?.type === 'text'),
      random,
    );
    blocksOf(row.message).push({ type: random.pick(['future_block', 'audio', 'tool']), x: random.below(99) });
  },
  'extra-field': (rows, random) => {
    const block = anyOf(blocks(rows, random.pick(['tool_use', 'tool_result', 'text'])), random);
    block[random.pick(['meta', 'index', 'partial_json'])] = random.pick<unknown>([1, 'x', { a: [1] }, null]);
  },
  'cache-control': (rows, random) => {
    const list = [...blocks(rows, 'text'), ...blocks(rows, 'tool_use'), ...blocks(rows, 'tool_result')];
    const from = random.below(list.length - 5);
    for (const block of list.slice(from, from + 5)) block['cache_control'] = { type: 'ephemeral' };
  },
  'empty-text': (rows, random) => {
    if (random.chance(0.4)) anyOf(prompts(rows), random).content = random.pick([' ', '\n\n', '\t']);
    else {
      const empty = { type: 'text', text: random.pick(['', ' ', '\n']) };
      const result = anyOf(blocks(rows, 'tool_result'), random);
      result['content'] = random.pick<unknown>([
        [empty],
        [{ type: 'text', text: 'part' }, empty],
        [empty, { ...empty }],
      ]);
    }
  },
  'empty-content': (rows, random) => {
    anyOf(prompts(rows), random).content = '';
  },
  'server-tool': (rows, random) => {
    const row = anyOf(
      rows.filter(({ type, message }) => type === 'assistant' && blocksOf(message)[0]?.type === 'text'),
      random,
    );
    const form = random.pick(['alone', 'id', 'behind', 'apart', 'apart'] as const);
    const id = form === 'id' ? random.pick(['call_1', 'toolu-x', 'srvtoolu_a-b']) : 'srvtoolu_1';
    const tool = random.pick(['web_search', 'web_fetch', 'code_execution', 'tool_search']);
    const result = { type: `${tool}_tool_result`, tool_use_id: id, content: [] };
    const call = { type: 'server_tool_use', id, name: tool, input: { query: 'x' } };
    if (form === 'apart') apart(rows, row, call, random);
    const before = { alone: [result], id: [call, result], behind: [result, call], apart: [result] };
    blocksOf(row.message).unshift(...before[form]);
  },
  role: (rows, random) => {
    const talk = rows.flatMap(({ type, message }, at) =>
      type === 'user' && typeof message.content === 'string' ? [at] : [],
    );
    const isFirst = random.chance(0.4);
    const at = isFirst ? 0 : (talk[1 + random.below(talk.length - 1)] ?? 0);
    // The rows from the prompt to the reply are gone, and the reply is linked to what was before them.
    const end = rows.findIndex(({ type }, row) => row > at && type === 'assistant');
    const next = rows[end];
    if (next !== undefined) next.parentUuid = rows[at]?.parentUuid ?? null;
    rows.splice(at, end - at);
  },
  'request-size': (rows, random) => {
    const words = 'lorem ipsum dolor '.repeat(5000 + random.below(3000));
    for (const part of [1, 2, 3, 4]) {
      if (random.chance(0.5)) anyOf(prompts(rows), random).content = `${part} ${words}`;
      else
        anyOf(blocks(rows, 'tool_result'), random)['content'] = random.pick<unknown>([
          words,
          [{ type: 'text', text: words }],
        ]);
    }
    const [first] = prompts(rows);
    if (first !== undefined) first.content = `${words.repeat(4)} end`;
  },
  thinking: (rows, random) => {
    const block = anyOf(blocks(rows, 'thinking'), random);
    if (random.chance(0.3)) {
      block['thinking'] = random.pick([undefined, null]);
      return;
    }
    block[random.pick(['cache_control', 'text', 'index'])] = random.pick<unknown>([1, {}, 'x']);
  },
} as const satisfies Readonly<Record<string, (rows: PoisonRow[], random: Random) => void>>;

export type PoisonClass = keyof typeof POISONS;

function isPoisonClass(name: string): name is PoisonClass {
  return name in POISONS;
}

export const POISON_CLASSES: readonly PoisonClass[] = Object.keys(POISONS).filter(isPoisonClass);
