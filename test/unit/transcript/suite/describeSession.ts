import assert from 'node:assert/strict';
import { lastPrompt, prompt, reply, transcript, uuidOf } from '../../../support/transcriptBuilder';
import type { ScannerProbe } from './scannerProbe';

/** What the rows state about their session. */
export function describeSession(name: string, { dump }: ScannerProbe): void {
  describe(`${name}: session`, () => {
    it('keeps the newest last-prompt row with a value, and the number of rows before it', () => {
      const silent = { type: 'last-prompt' };
      const named = dump(transcript([prompt('p', null), lastPrompt('gone'), lastPrompt('p'), silent]));
      assert.deepEqual(named.lastPrompt, { line: 3, rowsBefore: 1, leaf: uuidOf('p'), isExplicit: false });
      const emptied = dump(transcript([lastPrompt('p'), prompt('p', null), lastPrompt(null, { explicit: true })]));
      assert.deepEqual(emptied.lastPrompt, { line: 3, rowsBefore: 1, leaf: null, isExplicit: true });
      assert.equal(dump(transcript([prompt('p', null), lastPrompt(null), silent])).lastPrompt, null);
    });

    it('takes the session that it was forked from from the first row that states one', () => {
      const forked = (name: string, sessionId: unknown) => prompt(name, null, { forkedFrom: { sessionId } });
      const rows = [
        prompt('p0', null),
        forked('p1', 7),
        forked('p2', ''),
        forked('p3', 'first'),
        forked('p4', 'second'),
      ];
      assert.equal(dump(transcript(rows)).parentSessionId, 'first');
      assert.equal(dump(transcript(rows.slice(0, 3))).parentSessionId, null);
      const answer = reply('r', null, { forkedFrom: { sessionId: 'other' } });
      assert.equal(dump(transcript([prompt('p', null), answer])).parentSessionId, 'other');
      const glued = Buffer.from(`${JSON.stringify(answer)} x\n`);
      assert.equal(dump(Buffer.concat([glued, transcript([forked('p1', 'late')])])).parentSessionId, 'other');
    });

    it('takes titles and folders from the last row that states them', () => {
      const facts = dump(
        transcript([
          prompt('p1', null, { cwd: '/one', gitBranch: 'main', version: '1' }),
          { type: 'ai-title', aiTitle: 'made' },
          { type: 'custom-title', customTitle: 'mine' },
          { type: 'custom-title', customTitle: 'mine again' },
          { type: 'summary', summary: 'sum' },
          prompt('p2', 'p1', { cwd: '/two', version: '2' }),
        ]),
      );
      assert.deepEqual(facts.titles, {
        custom: 'mine again',
        ai: 'made',
        lastPrompt: null,
        summary: 'sum',
        firstPrompt: 'prompt p1',
      });
      assert.deepEqual([facts.latest.cwd, facts.latest.gitBranch, facts.latest.clientVersion], ['/two', 'main', '2']);
    });
  });
}
