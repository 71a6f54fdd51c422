import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTranscriptEnd, SessionReader } from '../../rooms/conversation';
import { scanSession } from '../../rooms/diagnose';
import { createOnePassScanner } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import { type SessionEnd, type ConversationEnd, withoutLines } from '../../../src/protocol/message';
import type { ActivityAnswer } from '../../rooms/providers';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { NOT_RUNNING } from '../../support/fakeProvider';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  call,
  chainRow,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

const ID = '44444444-4444-4444-8444-444444444444';
function withFile(bytes: string | Buffer, check: (filePath: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, `${ID}.jsonl`);
    writeFileSync(filePath, bytes);
    await check(filePath);
  });
}

async function wholeState(filePath: string): Promise<ConversationEnd | undefined> {
  const activityOf = (): Promise<ActivityAnswer> => Promise.resolve({ live: 'not-live', activity: NOT_RUNNING });
  const reader = new SessionReader({ filePath, createScanner: plainScanner, pacer: createPacer(10), activityOf });
  try {
    return (await reader.overview())?.end;
  } finally {
    reader.close();
  }
}

/** The values that both have. */
function endOf(state: ConversationEnd | undefined): unknown {
  if (state?.kind === 'interrupted') return { kind: state.kind, by: state.by, duringTool: state.duringTool };
  if (state?.kind === 'apiError') return { kind: state.kind, text: state.text };
  if (state?.kind === 'waitingOnTool')
    return { kind: state.kind, tools: [...new Set(state.calls.map((each) => each.name))] };
  return state?.kind === 'ended' ? state : null;
}

async function endFrom(filePath: string, leafUuid: string): Promise<SessionEnd | null> {
  const read = await readTranscriptEnd(filePath, leafUuid);
  return read === null ? null : withoutLines(read.end);
}

async function endByLeaf(filePath: string): Promise<SessionEnd | null> {
  const { result: scan } = await scanSession(
    filePath,
    createOnePassScanner(plainScanner, createPacer(10)),
    DIAGNOSTICS,
  );
  return scan.resume.leafUuid === null ? null : endFrom(filePath, scan.resume.leafUuid);
}

describe('The state of a session, read from the end of its transcript', () => {
  it('is the same however much precedes it', () => {
    const long = Array.from({ length: 300 }, (_, at): RowFields[] => {
      const before = at === 0 ? null : `r${at - 1}`;
      return [
        prompt(`p${at}`, before, { message: { role: 'user', content: 'x'.repeat(5000) } }),
        reply(`r${at}`, `p${at}`),
      ];
    }).flat();
    return withFile(transcript([...long, call('c', 'r299', 't1')]), async (filePath) => {
      assert.deepEqual(await endFrom(filePath, uuidOf('c')), { kind: 'waitingOnTool', tools: ['Bash'] });
      appendFileSync(filePath, transcript([result('a', 'c', 't1'), reply('z', 'a')]));
      assert.deepEqual(await endFrom(filePath, uuidOf('z')), { kind: 'ended' });
    });
  });

  it('includes parallel calls of one message', () => {
    const message = 'msg';
    const rows = [
      prompt('p', null),
      call('a', 'p', 't1', { message }),
      call('b', 'a', 't2', { message }),
      result('x', 'a', 't1'),
    ];
    return withFile(transcript(rows), async (filePath) => {
      assert.deepEqual(await endFrom(filePath, uuidOf('x')), { kind: 'waitingOnTool', tools: ['Bash'] });
    });
  });

  it('ignores a branch from which the session does not continue', () =>
    withFile(transcript([prompt('p', null), reply('r', 'p'), call('c', 'p', 't1')]), async (filePath) => {
      assert.deepEqual(await endFrom(filePath, uuidOf('r')), { kind: 'ended' });
    }));

  it('is an API error if the client was retrying', () => {
    const error = chainRow('system', 'e', 'p', { subtype: 'api_error', level: 'error', content: '529' });
    return withFile(transcript([prompt('p', null), error]), async (filePath) => {
      assert.deepEqual(endOf(await wholeState(filePath)), { kind: 'apiError', text: '529' });
      assert.deepEqual(await endByLeaf(filePath), { kind: 'apiError', text: '529' });
    });
  });

  it('names the call that has no result yet, and the program that wrote the rows', () => {
    const rows = [prompt('p', null), call('c', 'p', 't1')];
    return withFile(transcript(rows), async (filePath) => {
      const read = await readTranscriptEnd(filePath, uuidOf('c'));
      assert.match(read?.call ?? '', /^Bash/);
      assert.equal(read?.isClosed, false);
      appendFileSync(filePath, `${JSON.stringify({ type: 'cost-state', sessionId: 's' })}\n`);
      assert.equal((await readTranscriptEnd(filePath, uuidOf('c')))?.isClosed, true);
    });
  });

  it('is unknown if the end lacks the row from which the session continues, or there is no file', async () => {
    await withFile(transcript([prompt('p', null)]), async (filePath) => {
      assert.equal(await endFrom(filePath, uuidOf('elsewhere')), null);
    });
    await withFile('{"type":"user","uuid":"\n\u0000\n', async (filePath) => {
      assert.equal(await endFrom(filePath, 'x'), null);
    });
    assert.equal(await endFrom('/nowhere/x.jsonl', 'x'), null);
  });

  for (const path of listRecordings()) {
    it(`equals the state from the whole of ${path}, wherever it is cut off`, async () => {
      const lines = readFileSync(join(FIXTURES, path), 'utf8').trimEnd().split('\n');
      for (let end = lines.length; end > 0; end -= 3) {
        await withFile(`${lines.slice(0, end).join('\n')}\n`, async (filePath) => {
          assert.deepEqual(await endByLeaf(filePath), endOf(await wholeState(filePath)), `the first ${end} lines`);
        });
      }
    });
  }
});
