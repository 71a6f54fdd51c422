import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../support/fixtures';
import { createRandom, type Random } from '../support/random';

type Content = string | readonly object[];

interface Row {
  type: string;
  uuid: string;
  parentUuid: string | null;
  message?: { id?: string; role: string; content: string | Record<string, unknown>[]; [field: string]: unknown };
  [field: string]: unknown;
}

/** A session that the client heals, but leaves out more than it has to. */
export interface CostlySession {
  readonly text: string;
  /** What nothing is wrong with: texts that a request has to contain. */
  readonly good: readonly string[];
}

/** A healthy session into which a fault of a class was written at random. */
export function costlyAtRandom(code: CostlyClass, seed: number): CostlySession {
  const random = createRandom(seed * 37 + Object.keys(FAULTS).indexOf(code));
  const session = new Session(random);
  const good = FAULTS[code](session, random);
  return { text: session.text(), good };
}

/** A healthy history to which rows are added. */
export class Session {
  readonly rows: Row[];
  #added = 0;

  constructor(private readonly random: Random = createRandom(1)) {
    const text = readFileSync(join(FIXTURES, 'poison/cases/h0-healthy.jsonl'), 'utf8').trimEnd();
    // SAFETY: the rows of the fixture have these fields.
    this.rows = text.split('\n').map((line) => JSON.parse(line) as Row);
  }

  text(): string {
    return this.rows.map((row) => JSON.stringify(row)).join('\n') + '\n';
  }

  /** Where a turn can begin: behind a reply of text alone, before a prompt or at the end. */
  #placeOfTurn(): number {
    const places = this.rows.flatMap(({ message, type }, at) => {
      const next = this.rows[at + 1];
      const isReply =
        type === 'assistant' && Array.isArray(message?.content) && message.content[0]?.['type'] === 'text';
      const endsTurn = next === undefined || (next.type === 'user' && typeof next.message?.content === 'string');
      return isReply && endsTurn ? [at] : [];
    });
    return places[this.random.below(places.length)] ?? this.rows.length - 1;
  }

  /** Adds rows as one turn; each is what a row of its type has as its content. */
  turn(
    parts: readonly { readonly type: 'user' | 'assistant'; readonly content: Content; readonly id?: string }[],
  ): void {
    this.insert(this.#placeOfTurn(), parts);
  }

  insert(
    at: number,
    parts: readonly { readonly type: 'user' | 'assistant'; readonly content: Content; readonly id?: string }[],
  ): void {
    const example = (type: string): Row => {
      const row = this.rows.find((each) => each.type === type);
      if (row === undefined) throw new Error(`The base has no row of the type ${type}`);
      return structuredClone(row);
    };
    let last = at;
    for (const { type, content, id } of parts) {
      const row = example(type);
      const number = String(++this.#added);
      const above = this.rows[last];
      const below = this.rows[last + 1];
      row.uuid = `cccccccc-0000-4000-8000-${number.padStart(12, '0')}`;
      row.parentUuid = above?.uuid ?? null;
      const stop = type === 'assistant' ? { id: id ?? `msg_added${number}`, stop_reason: 'end_turn' } : {};
      // SAFETY: content of a row is a text or a list of blocks.
      row.message = { ...row.message, role: type, content: structuredClone(content) as string, ...stop };
      delete row['sourceToolAssistantUUID'];
      delete row['toolUseResult'];
      if (below?.parentUuid === row.parentUuid) below.parentUuid = row.uuid;
      this.rows.splice(++last, 0, row);
    }
  }

  /** The places of rows whose first block has the type. */
  placesOf(type: string): number[] {
    return this.rows.flatMap(({ message }, at) =>
      Array.isArray(message?.content) && message.content[0]?.['type'] === type ? [at] : [],
    );
  }
}

let images = 0;

/** A PNG without pixels. */
export function png(width: number): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(17);
  size.writeUInt32BE(width);
  size.writeUInt32BE(1, 4);
  return Buffer.concat([header, size, Buffer.from(`n${++images}`), Buffer.from('0000000049454e44ae426082', 'hex')]);
}

const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffd9', 'hex');

export function image(bytes: Buffer, type = 'image/png') {
  return { type: 'image', source: { type: 'base64', media_type: type, data: bytes.toString('base64') } };
}

function pdf(text: string) {
  const data = Buffer.from(text).toString('base64');
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
}

export const say = (text: string) => ({ type: 'text', text });

/** Each returns what nothing is wrong with. */
const FAULTS = {
  image(session, random) {
    const good = image(png(2));
    const onlyDescribed = random.chance(0.3);
    const bad = onlyDescribed
      ? random.pick([image(JPEG), image(png(3), 'image/heic')])
      : random.pick([
          image(Buffer.from('not an image at all, really')),
          image(png(9000)),
          image(png(64).subarray(0, 30)),
        ]);
    const blocks = random.chance(0.5) ? [bad, say('look at this')] : [good, bad, say('look at these')];
    if (random.chance(0.5)) session.turn([{ type: 'user', content: blocks }, reply('I see.')]);
    else {
      session.turn([
        { type: 'user', content: 'Take a picture' },
        {
          type: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_shot', name: 'Bash', input: { command: 'shot' } }],
        },
        { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_shot', content: blocks }] },
        reply('I see.'),
      ]);
    }
    session.insert(session.rows.length - 1, [{ type: 'user', content: [good, say('and this')] }, reply('Good.')]);
    return [good.source.data, 'look at th', ...(onlyDescribed ? [bad.source.data] : [])];
  },
  document(session, random) {
    const good = image(png(2));
    const bad = random.pick([pdf('hello'), pdf('%PDF-1.4 /Encrypt 9 0 R'), pdf('%PDF-' + '/Type /Page '.repeat(101))]);
    const other = pdf('%PDF-1.4 /Type /Page %%EOF');
    session.turn([
      { type: 'user', content: [...(random.chance(0.5) ? [other] : []), bad, say('read it')] },
      reply('Read.'),
    ]);
    session.insert(session.rows.length - 1, [
      { type: 'user', content: [good, other, say('and these')] },
      reply('Good.'),
    ]);
    return [good.source.data, other.source.data, 'read it'];
  },
  'tool-pairing'(session, random) {
    // Calls in parallel have results beside the chain.
    const calls = session
      .placesOf('tool_use')
      .filter((at, _, all) => session.rows[at + 1]?.type === 'user' && !all.includes(at - 1));
    const at = calls[random.below(calls.length)] ?? 0;
    const content = session.rows[at]?.message?.content;
    const id = typeof content === 'object' ? content[0]?.['id'] : null;
    if (random.chance(0.5)) {
      session.insert(at, [reply('a stray reply')]);
      const result = session.rows[at + 2]?.message?.content;
      const text = typeof result === 'object' ? result[0]?.['content'] : null;
      return ['a stray reply', JSON.stringify(text).slice(1, 20)];
    }
    session.insert(session.rows.length - 1, [
      { type: 'user', content: 'Once more' },
      { type: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'a later call' } }] },
      { type: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'a later result' }] },
      reply('Done.'),
    ]);
    return ['a later call', 'a later result'];
  },
  'block-type'(session, random) {
    const entry = random.pick<unknown>([
      'a stray note',
      { text: 'a stray note' },
      ['a stray note'],
      'a stray note\u00e9',
    ]);
    const blocks = random.chance(0.5) ? [entry, say('look at this')] : [say('look at this'), null, entry];
    // SAFETY: the client accepts any list as content; what it makes of this one is the question.
    const content = blocks as readonly object[];
    if (random.chance(0.5)) session.turn([{ type: 'user', content }, reply('I see.')]);
    else
      session.turn([
        { type: 'user', content: 'Tell me' },
        { type: 'assistant', content },
      ]);
    return ['a stray note', 'look at this'];
  },
  thinking(session, random) {
    const places = session.placesOf('thinking');
    const at = places[random.below(places.length)];
    const texts: string[] = [];
    for (const place of places) {
      const content = session.rows[place]?.message?.content;
      const block = typeof content === 'object' ? content[0] : undefined;
      if (block === undefined) continue;
      if (place !== at) texts.push(String(block['thinking']));
      else if (random.chance(0.5)) block['signature'] = '';
      else delete block['signature'];
    }
    return texts;
  },
} as const satisfies Readonly<Record<string, (session: Session, random: Random) => readonly string[]>>;

export function reply(text: string) {
  return { type: 'assistant' as const, content: [say(text)] };
}

export type CostlyClass = keyof typeof FAULTS;

function isCostlyClass(name: string): name is CostlyClass {
  return name in FAULTS;
}

export const COSTLY_CLASSES: readonly CostlyClass[] = Object.keys(FAULTS).filter(isCostlyClass);
