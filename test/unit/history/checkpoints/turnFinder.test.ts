import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { TurnFinder } from '../../../rooms/history';
import { type JsonObject, parseObject } from '../../../rooms/util';
import { FIXTURES } from '../../../support/fixtures';

interface RecordedCall {
  readonly toolUseId: string;
  readonly timeMs: number;
  /** The prompt to whose checkpoint the client itself adds the file. */
  readonly promptUuid: string;
}

const field = (row: JsonObject | undefined, ...path: string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], row);

/** Calls of tools that changed a file, with the prompt under which the client kept the file's state. */
function recordedCalls(rows: readonly JsonObject[]): RecordedCall[] {
  const byUuid = new Map(rows.map((row) => [row['uuid'], row]));
  return rows.flatMap((row): RecordedCall[] => {
    const isUpdate = row['type'] === 'file-history-snapshot' && row['isSnapshotUpdate'] === true;
    if (row['type'] !== 'file-history-delta' && !isUpdate) return [];
    const promptUuid = isUpdate ? field(row, 'snapshot', 'messageId') : row['snapshotMessageId'];
    const call = byUuid.get(row['messageId']);
    const content = field(call, 'message', 'content');
    const blocks = Array.isArray(content) ? (content as JsonObject[]) : [];
    const toolUseId = blocks.find(({ type }) => type === 'tool_use')?.['id'];
    const timeMs = Date.parse(String(call?.['timestamp']));
    return typeof toolUseId === 'string' && typeof promptUuid === 'string' ? [{ toolUseId, promptUuid, timeMs }] : [];
  });
}

const recordings = fastGlob
  .sync('recordings/**/*.jsonl', { cwd: FIXTURES, ignore: ['**/subagents/**'] })
  .map((file) => {
    const lines = readFileSync(join(FIXTURES, file), 'utf8').split('\n');
    return { file, lines, rows: lines.map(parseObject).filter((row) => row !== null) };
  });

function finderOf(lines: readonly string[]): TurnFinder {
  const finder = new TurnFinder();
  for (const line of lines) finder.addLine(line);
  return finder;
}

describe('The prompt of a tool call', () => {
  it('is the prompt under which the client keeps the file, in every recording', () => {
    let calls = 0;
    for (const { file, lines, rows } of recordings) {
      const finder = finderOf(lines);
      for (const { toolUseId, timeMs, promptUuid } of recordedCalls(rows)) {
        assert.equal(finder.findForCertain({ toolUseId, promptId: null, timeMs }), promptUuid, `${file} ${toolUseId}`);
        // As for a subagent's call, which is not in the main conversation.
        const promptId = rows.find(({ uuid }) => uuid === promptUuid)?.['promptId'];
        const sought = { toolUseId: null, promptId: typeof promptId === 'string' ? promptId : null, timeMs };
        assert.equal(finder.find(sought), promptUuid, `${file} at ${timeMs}`);
        if (sought.promptId === null) assert.equal(finder.findForCertain(sought), null);
        calls += 1;
      }
    }
    assert.ok(calls > 15, `${calls} calls`);
  });

  it('is found in any part of the transcript that holds both, and never wrong in a smaller part', () => {
    for (const { lines, rows } of recordings) {
      for (const { toolUseId, timeMs, promptUuid } of recordedCalls(rows)) {
        for (let from = 0; from < lines.length; from += 3) {
          const found = finderOf(lines.slice(from)).findForCertain({ toolUseId, promptId: null, timeMs });
          assert.ok(found === promptUuid || found === null);
        }
      }
    }
  });

  it('is the prompt before a notice that the client wrote itself', () => {
    const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const user = (uuid: string, content: string, second: number, promptId: string, parentUuid: string | null = null) =>
      JSON.stringify({ type: 'user', uuid, parentUuid, promptId, timestamp: at(second), message: { content } });
    const finder = finderOf([
      user('first', 'do it', 1, 'p1'),
      user('notice', '<task-notification>\ndone', 3, 'p2', 'first'),
      user('second', 'and now?', 5, 'p1', 'notice'),
    ]);
    const find = (promptId: string | null, second: number) =>
      finder.find({ toolUseId: null, promptId, timeMs: Date.parse(at(second)) });
    assert.equal(find('p2', 4), 'first');
    assert.equal(find('p1', 2), 'first', 'one name for two prompts, as in a fork: the time tells');
    assert.equal(find('p1', 8), 'second');
    assert.equal(find('unknown', 4), 'first');
    assert.equal(finder.findForCertain({ toolUseId: null, promptId: 'unknown', timeMs: Date.parse(at(9)) }), null);
  });

  it('is searched for in finite time when rows form a ring or are malformed', () => {
    const finder = finderOf([
      '{"uuid":"a","parentUuid":"b","type":"assistant","message":{"content":[{"type":"tool_use","id":"t"}]}}',
      '{"uuid":"b","parentUuid":"a","type":"system"}',
      '{"uuid":',
      '[]',
      'x "uuid"',
      '{"uuid":"c","type":"user","message":null}',
      '{"uuid":"d","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}',
      '{"uuid":"e","type":"user","isMeta":true,"message":{"content":"x"}}',
      '{"uuid":"f","type":"user","isSidechain":true,"message":{"content":"x"}}',
      '{"uuid":"g","type":"user","isCompactSummary":true,"message":{"content":"x"}}',
    ]);
    assert.equal(finder.find({ toolUseId: 't', promptId: null, timeMs: 1 }), null);
  });
});
