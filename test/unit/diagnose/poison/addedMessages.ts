import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../../src/core/engine';
import type { SessionRepairResult } from '../../../../src/protocol/repair';
import { contentFindings } from '../../../support/contentFindings';
import { listPoisonCases } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

export type Block = Readonly<Record<string, unknown>>;

export interface Row {
  readonly parentUuid: string | null;
  readonly uuid: string;
  readonly type: 'user' | 'assistant';
  readonly message: {
    readonly id?: string;
    readonly model?: string;
    readonly role: string;
    readonly content: string | readonly Block[];
  };
}

export type NewMessage = readonly ['user' | 'assistant', string | readonly Block[]];

function healthyRows(): Row[] {
  const found = listPoisonCases().find(({ name }) => name === 'h0-healthy');
  assert.ok(found !== undefined);
  // SAFETY: the messages of the fixture have these fields; no test reads those of its attachments.
  return found.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** A healthy session with further messages. */
export function withMessages(messages: readonly NewMessage[]): Row[] {
  const rows = healthyRows();
  for (const [at, [type, content]] of messages.entries()) {
    const last = rows.at(-1);
    assert.ok(last !== undefined);
    const uuid = `cccccccc-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const message =
      type === 'user' ? { role: type, content } : { ...last.message, id: `msg_${at}`, role: type, content };
    rows.push({ ...last, parentUuid: last.uuid, uuid, type, message });
  }
  return rows;
}

export interface Repaired {
  readonly result: SessionRepairResult;
  readonly findings: readonly string[];
  /** The blocks of the messages that follow the healthy ones. */
  readonly blocks: readonly (readonly Block[])[];
}

export interface StoredSession {
  readonly engine: Engine;
  readonly filePath: string;
  readonly read: () => Promise<string>;
}

/** Calls `use` with the rows as a file in a folder that is removed afterwards. */
export function useStored(rows: readonly Row[], use: (session: StoredSession) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const { engine, filePath } = await stored(rows, folder);
    await use({ engine, filePath, read: () => readFile(filePath, 'utf8') });
  });
}

/** What is said of a session, as code and severity. */
export function foundIn(rows: readonly Row[]): Promise<readonly string[]> {
  return withTemporaryFolder(async (folder) => {
    const { engine, filePath } = await stored(rows, folder);
    const { result } = await engine.scan(filePath, { isThorough: true });
    return contentFindings(result).map(({ code, severity }) => `${code} ${severity}`);
  });
}

/** Repairs once; a second repair finds nothing to do, and an undo restores every byte. */
export function repaired(rows: readonly Row[], code: string | null = null): Promise<Repaired> {
  return withTemporaryFolder(async (folder) => {
    const { engine, filePath, text } = await stored(rows, folder);
    const { result, problem } = await engine.repair(filePath, { code });
    assert.equal(problem, null);
    const after = (await readFile(filePath, 'utf8')).trimEnd().split('\n').slice(healthyRows().length);
    const findings = contentFindings((await engine.scan(filePath, { isThorough: true })).result).map(
      (each) => each.code,
    );
    assert.equal((await engine.repair(filePath, { code })).result.status, 'already_healthy');
    assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
    assert.equal(await readFile(filePath, 'utf8'), text);
    const blocks = after.map((line) => {
      // SAFETY: the messages of these tests are rows of this kind.
      const { content } = (JSON.parse(line) as Row).message;
      return typeof content === 'string' ? [] : content;
    });
    return { result, findings, blocks };
  });
}

async function stored(
  rows: readonly Row[],
  folder: string,
): Promise<{ readonly engine: Engine; readonly filePath: string; readonly text: string }> {
  const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
  const text = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
  await writeFile(filePath, text);
  return { engine: createEngine({ machine: quietMachine(), configDir: join(folder, 'none') }), filePath, text };
}
