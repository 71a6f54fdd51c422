import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installAttributeTools } from '../../../scripts/setupVscode.mjs';
import { clearDebris, nodeWriteFs, replaceText, rewriteTranscript, undoRewrite } from '../../rooms/storage';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { backup, requestOf, rewindsWith, withPlace } from '../history/rewind/rewindFixture';
import { PROMPT, sessionWith, writeFile } from '../history/rewind/oneFile';
import { sessionRefOf } from '../../rooms/format';
import { backupOf, textOf } from './operations';
import { depsOn, repairRequest, withTranscriptFile } from './transcriptFixture';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** Gives a file an extended attribute and an ACL. */
function mark(path: string, note: string): void {
  execFileSync('setfattr', ['-n', 'user.note', '-v', note, path]);
  execFileSync('setfacl', ['-m', 'u:12345:rw-,g:54321:r--', path]);
}

/** All attributes and the ACL, without the file's name. */
function attributesOf(path: string): string {
  const attributes = execFileSync('getfattr', ['--absolute-names', '-d', '-m', '-', path], { encoding: 'utf8' });
  const acl = execFileSync('getfacl', ['--absolute-names', '-n', path], { encoding: 'utf8' });
  return `${attributes}${acl}`.replace(/^# file: .*$/gm, '').trim();
}

describe('Extended attributes and ACLs', () => {
  before(async function () {
    await skipWhenUnavailable(this, installAttributeTools);
  });

  it('are those that `cp -a` keeps on this file system', () =>
    withTemporaryFolder((folder) => {
      const [one, other] = [join(folder, 'one'), join(folder, 'other')];
      writeFileSync(one, 'x');
      mark(one, 'kept');
      execFileSync('cp', ['-a', one, other]);
      assert.equal(attributesOf(other), attributesOf(one));
      assert.match(attributesOf(one), /user\.note="kept"[^]*user:12345:rw-/u);
      return Promise.resolve();
    }));

  it('survive a repair and its undo, and its backup has them', () =>
    withTranscriptFile(async (fixture) => {
      const { filePath, repaired, original } = fixture;
      mark(filePath, 'mine');
      const known = attributesOf(filePath);
      const mode = statSync(filePath).mode;
      const outcome = await rewriteTranscript(repairRequest(filePath), depsOn(nodeWriteFs));
      assert.equal(outcome.kind, 'written');
      assert.equal(textOf(fixture), repaired.toString());
      assert.equal(attributesOf(filePath), known);
      assert.equal(attributesOf(backupOf(fixture)), known);
      assert.equal(statSync(filePath).mode, mode);
      await undoRewrite({ filePath, assertNotLive: () => Promise.resolve() }, depsOn(nodeWriteFs));
      assert.equal(textOf(fixture), original.toString());
      assert.equal(attributesOf(filePath), known);
      assert.equal(await clearDebris(filePath, () => Promise.resolve(), depsOn(nodeWriteFs)), null);
    }));

  it('survive a rewind and its undo, also those of a file that the rewind deletes', () =>
    withPlace(async (place) => {
      sessionWith(place, {
        'changed.txt': backup(place, 'changed.txt', 1, 'was\n', 0o664),
        'made.txt': backup(place, 'made.txt', 1, null),
      });
      const [changed, made] = [writeFile(place, 'changed.txt', 'is\n'), writeFile(place, 'made.txt', 'made\n')];
      mark(changed, 'changed');
      mark(made, 'made');
      const known = [changed, made].map(attributesOf);
      const rewinds = rewindsWith(place);
      const outcome = await rewinds.rewind(requestOf(place, PROMPT));
      assert.equal(outcome.reason, null, outcome.result.error ?? '');
      assert.deepEqual([readFileSync(changed, 'utf8'), existsSync(made)], ['was\n', false]);
      assert.equal(attributesOf(changed), known[0]);
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.deepEqual([readFileSync(changed, 'utf8'), readFileSync(made, 'utf8')], ['is\n', 'made\n']);
      assert.deepEqual([changed, made].map(attributesOf), known);
    }));

  it('survive a change of the project’s settings', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'settings.local.json');
      writeFileSync(path, '{}');
      mark(path, 'settings');
      const known = attributesOf(path);
      assert.equal(await replaceText(path, '{}', '{"a":1}', { fs: nodeWriteFs, random: () => 'token' }), null);
      assert.equal(readFileSync(path, 'utf8'), '{"a":1}');
      assert.equal(attributesOf(path), known);
    }));
});
