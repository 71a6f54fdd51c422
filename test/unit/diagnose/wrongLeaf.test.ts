import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { type Finding, isForRepair, isMendable } from '../../../src/protocol/repair';
import { isUnrecoverable } from '../../../src/protocol/sessionInfo';
import { verdictOf } from '../../support/diagnosed';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { quietMachine } from '../../support/quietMachine';
import { scanBytes } from '../../support/scanBytes';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  boundary,
  call,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';

const CODE = 'wrong-leaf';
const SESSION = '44444444-4444-4444-8444-444444444444';
const TALK = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
/** A conversation that goes on from the first reply. */
const BRANCH = [prompt('p3', 'r1'), reply('r3', 'p3')];

function findingsOf(rows: readonly RowFields[]): readonly Finding[] {
  return verdictOf(scanBytes(transcript(rows))).result.findings.filter(({ code }) => code === CODE);
}

function sayFindings(rows: readonly RowFields[]): readonly string[] {
  return findingsOf(rows).map(({ severity, action, lines }) => `${severity} ${action}: lines ${lines.join(' ')}`);
}

describe('A session of which Claude resumes an older branch', () => {
  it('has a warning if its newest messages were added after the mark of where to continue', () => {
    assert.deepEqual(sayFindings([...TALK, lastPrompt('r2'), ...BRANCH]), ['warning ask: lines 6 7']);
  });

  it('is told of if a client that was at the older branch wrote the mark last', () => {
    assert.deepEqual(sayFindings([...TALK, ...BRANCH, lastPrompt('r2')]), ['info ask: lines 5 6']);
  });

  it('says which messages are not remembered, and what helps', () => {
    const [finding] = findingsOf([...TALK, lastPrompt('r2'), ...BRANCH]);
    assert.equal(
      finding?.message,
      'Claude resumes an older branch of this conversation: the newest messages, on lines 6 to 7, are not remembered, and no ' +
        'rewind has left them. To go on with them, fork the session at line 7, or use repair --class wrong-leaf.',
    );
  });

  it('has the same warning if tools were used in the newer branch', () => {
    const calls = [prompt('p3', 'r1'), call('c3', 'p3', 'toolu_3'), result('o3', 'c3', 'toolu_3'), reply('r3', 'o3')];
    assert.deepEqual(sayFindings([...TALK, lastPrompt('r2'), ...calls]), ['warning ask: lines 6 9']);
  });

  it('is not repaired unless the repair is asked for by its name', () => {
    const [finding] = findingsOf([...TALK, lastPrompt('r2'), ...BRANCH]);
    assert.equal(finding !== undefined && isForRepair(finding), false);
  });
});

/** What a subagent was asked below the last reply, and its answer. */
const SIDE = [prompt('s1', 'r2', { isSidechain: true }), reply('s2', 's1', { isSidechain: true })];

describe('A session of which Claude resumes nothing', () => {
  it('is broken if the mark of where to continue names a message of a subagent', () => {
    assert.deepEqual(sayFindings([...TALK, ...SIDE, lastPrompt('s2')]), ['error ask: lines 4']);
    assert.equal(verdictOf(scanBytes(transcript([...TALK, ...SIDE, lastPrompt('s2')]))).result.resume.loads, 0);
  });

  it('is broken if the last message of the conversation is said to be of a subagent', () => {
    const flipped = [...TALK.slice(0, 3), reply('r2', 'p2', { isSidechain: true })];
    assert.deepEqual(sayFindings([...flipped, lastPrompt('r2')]), ['error ask: lines 3']);
  });

  it('says what happens, and what helps', () => {
    const [finding] = findingsOf([...TALK, ...SIDE, lastPrompt('s2')]);
    assert.equal(
      finding?.message,
      'Claude Code does not resume this conversation: it would continue from a message of a subagent, and reports that no ' +
        'conversation was found. To go on with the newest messages, fork the session at line 4, or use repair --class wrong-leaf.',
    );
  });

  it('offers to fork at the newest message', () => {
    const [finding] = findingsOf([...TALK, ...SIDE, lastPrompt('s2')]);
    assert.deepEqual(finding?.offer, { kind: 'fork-newest', line: 4 });
  });

  it('is not lost for good, because a fork goes on with it', () => {
    const { resume, findings } = verdictOf(scanBytes(transcript([...TALK, ...SIDE, lastPrompt('s2')]))).result;
    assert.equal(isUnrecoverable({ live: 'not-live', resume, isMendable: findings.some(isMendable) }), false);
  });

  it('is told to fork where no mark says where to continue', () => {
    const note = chainRow('system', 'n', 's2', { subtype: 'informational', content: 'Done.' });
    const [finding] = findingsOf([...TALK, ...SIDE, note]);
    assert.match(finding?.message ?? '', /go on with the newest messages, fork the session at line 4\.$/);
  });

  it('is healthy if a rewind went back to before the first prompt', () => {
    const nowhere = { type: 'last-prompt', leafUuid: null, explicit: true };
    assert.deepEqual(sayFindings([...TALK, ...SIDE, nowhere]), []);
  });

  it('is healthy if it only holds messages of a subagent', () => {
    assert.deepEqual(sayFindings(TALK.map((row) => ({ ...row, isSidechain: true }))), []);
  });

  it('continues with the newest messages after a repair by name, which is undone byte for byte', () =>
    withTemporaryFolder(async (folder) => {
      const before = transcript([...TALK, ...SIDE, lastPrompt('s2')]);
      const filePath = join(folder, `${SESSION}.jsonl`);
      writeFileSync(filePath, before);
      const engine = createEngine({ machine: quietMachine(), configDir: folder, createScanner: wasmScanners() });
      assert.equal((await engine.repair(filePath, {})).result.status, 'already_healthy');
      const { result: done } = await engine.repair(filePath, { code: CODE });
      assert.deepEqual([done.status, done.resumeAfter, done.unloads], ['repaired', { loads: 4, of: 4 }, undefined]);
      const { result: scanned } = await engine.scan(filePath);
      assert.deepEqual([scanned.status, scanned.resume.leafUuid], ['healthy', uuidOf('r2')]);
      assert.equal((await engine.repair(filePath, { code: CODE })).result.status, 'already_healthy');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.deepEqual(readFileSync(filePath), before);
    }));
});

describe('A session is not said to be resumed at an older branch', () => {
  const healthy: Readonly<Record<string, readonly RowFields[]>> = {
    'if a rewind has chosen that branch': [...TALK, ...BRANCH, lastPrompt('r2', { explicit: true })],
    'if the person rewound, and the newest messages load': [
      ...TALK,
      lastPrompt('r2'),
      { type: 'last-prompt', leafUuid: '00000000-0000-0000-0000-000000000000', explicit: true },
      ...BRANCH,
    ],
    'if the mark names the newest messages': [...TALK, ...BRANCH, lastPrompt('r3')],
    'if there is no mark': [...TALK, ...BRANCH],
    'if the mark names a message that is missing': [...TALK, ...BRANCH, lastPrompt('gone')],
    'if the newer branch is a prompt without an answer': [...TALK, lastPrompt('r2'), prompt('p3', 'r1')],
    'if the newer branch is the answer to the same prompt, made again': [
      ...TALK,
      lastPrompt('r2'),
      reply('again', 'p2'),
    ],
    'if the newer branch only reports an error': [
      ...TALK,
      lastPrompt('r2'),
      prompt('p3', 'r1'),
      reply('e3', 'p3', {
        isApiErrorMessage: true,
        message: { model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text: 'API Error: 500' }] },
      }),
    ],
    'if the newer branch has earlier times': [
      ...TALK,
      lastPrompt('r2'),
      ...BRANCH.map((row) => ({ ...row, timestamp: '2026-01-01T00:00:00.000Z' })),
    ],
    'if the newer branch has no times': [
      ...TALK,
      lastPrompt('r2'),
      ...BRANCH.map((row) => ({ ...row, timestamp: undefined })),
    ],
    'if the newest messages have a beginning of their own': [
      ...TALK,
      lastPrompt('r2'),
      prompt('p3', null),
      reply('r3', 'p3'),
    ],
    'if the newest messages are those of a subagent': [
      ...TALK,
      lastPrompt('r2'),
      ...BRANCH.map((row) => ({ ...row, isSidechain: true })),
    ],
    'if it was compacted after the mark': [...TALK, lastPrompt('r2'), boundary('b', null), prompt('s', 'b'), ...BRANCH],
    'if only an attachment is behind the messages that load': [
      ...TALK,
      lastPrompt('r2'),
      chainRow('attachment', 'a', 'r1', { attachment: { type: 'date' } }),
    ],
  };
  for (const [when, rows] of Object.entries(healthy)) {
    it(when, () => {
      assert.deepEqual(sayFindings(rows), []);
    });
  }

  it('in any recording', () => {
    for (const file of listRecordings()) {
      const { findings } = verdictOf(scanBytes(readFileSync(join(FIXTURES, file)))).result;
      assert.deepEqual(
        findings.filter(({ code }) => code === CODE),
        [],
        file,
      );
    }
  });
});

describe('The repair that chooses the newest messages', () => {
  const rows = [...TALK, lastPrompt('r2'), ...BRANCH];

  function inFolder(work: (filePath: string, engine: ReturnType<typeof createEngine>) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (folder) => {
      const filePath = join(folder, `${SESSION}.jsonl`);
      writeFileSync(filePath, transcript(rows));
      await work(filePath, createEngine({ machine: quietMachine(), configDir: folder, createScanner: wasmScanners() }));
    });
  }

  it('changes one value, and shows which messages are no longer remembered', () =>
    inFolder(async (filePath, engine) => {
      const { result: done } = await engine.repair(filePath, { code: CODE });
      assert.equal(done.status, 'repaired');
      assert.deepEqual(
        done.edits.map(({ line, field, from, to }) => [line, field, from, to]),
        [[5, 'leafUuid', uuidOf('r2'), uuidOf('r3')]],
      );
      assert.deepEqual([done.resumeAfter, done.unloads], [{ loads: 4, of: 6 }, [3, 4]]);
      const expected = transcript(rows)
        .toString()
        .replace(`"leafUuid":"${uuidOf('r2')}"`, `"leafUuid":"${uuidOf('r3')}"`);
      assert.equal(readFileSync(filePath, 'utf8'), expected);
      const { result: scanned } = await engine.scan(filePath);
      assert.deepEqual([scanned.resume.leafUuid, scanned.resume.missingLines], [uuidOf('r3'), [3, 4]]);
    }));

  it('says if the API refuses what Claude remembers then', () =>
    inFolder(async (filePath, engine) => {
      const why = async (input: unknown): Promise<string | undefined> => {
        const content = [{ type: 'tool_use', id: 'toolu_3', name: 'Bash', input }];
        writeFileSync(
          filePath,
          transcript([
            ...TALK,
            lastPrompt('r2'),
            prompt('p3', 'r1'),
            chainRow('assistant', 'c3', 'p3', { message: { role: 'assistant', content } }),
            result('o3', 'c3', 'toolu_3'),
            reply('r3', 'o3'),
          ]),
        );
        return (await engine.planRepair(filePath, { code: CODE })).result.edits[0]?.why;
      };
      assert.equal(await why({}), 'Claude continues with the newest message.');
      assert.match((await why('ls')) ?? '', /API refuses what Claude remembers then: repair the session once more/);
    }));

  it('finds nothing to do the second time', () =>
    inFolder(async (filePath, engine) => {
      await engine.repair(filePath, { code: CODE });
      assert.equal((await engine.repair(filePath, { code: CODE })).result.status, 'already_healthy');
    }));

  it('is undone byte for byte, with what was added since', () =>
    inFolder(async (filePath, engine) => {
      await engine.repair(filePath, { code: CODE });
      const added = transcript([prompt('p4', 'r3')]);
      writeFileSync(filePath, Buffer.concat([readFileSync(filePath), added]));
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.deepEqual(readFileSync(filePath), Buffer.concat([transcript(rows), added]));
    }));

  it('is not a part of a repair that names no finding, nor of an automatic one', () =>
    inFolder(async (filePath, engine) => {
      for (const how of [{}, { code: null }, { isAutomatic: true, code: CODE }]) {
        assert.equal((await engine.repair(filePath, how)).result.status, 'already_healthy');
      }
      assert.deepEqual(readFileSync(filePath), transcript(rows));
    }));
});
