import assert from 'node:assert/strict';
import type { FileGroup, ListedFile } from '../../src/protocol/channels/rewindView';
import { FileChoice } from '../../src/webview/rewind/fileChoice';

function file(path: string, group: FileGroup = 'changing'): ListedFile {
  return { path, name: path, group, change: 'restore', insertions: 1, deletions: 0, facts: '', why: null };
}

const FILES = [
  file('a'),
  file('b'),
  file('odd', 'doubtful'),
  file('out', 'outside'),
  file('key', 'sensitive'),
  file('link', 'left'),
];
const LIST = { about: 'prompt', token: '1', files: FILES };
const named = (choice: FileChoice, files = FILES): readonly string[] => choice.chosen(files).map(({ path }) => path);

describe('The choice of files', () => {
  it('begins with those that change without being named', () => {
    const choice = new FileChoice(null);
    choice.take(LIST);
    assert.deepEqual(named(choice), ['a', 'b']);
    assert.equal(choice.shownPath, 'a');
  });

  it('contains others only once they are checked, and never those that cannot be changed', () => {
    const choice = new FileChoice(null);
    choice.take(LIST);
    for (const each of FILES) choice.check([each], true);
    assert.deepEqual(named(choice), ['a', 'b', 'odd', 'out', 'key']);
    choice.check(FILES, false);
    assert.deepEqual(named(choice), []);
  });

  it('comes back with the page, for the same list', () => {
    const choice = new FileChoice(null);
    choice.take(LIST);
    choice.check([file('a')], false);
    choice.check([file('key', 'sensitive')], true);
    choice.show('b');
    const next = new FileChoice(choice.navigation.value);
    next.take(LIST);
    assert.deepEqual([named(next), next.shownPath], [['b', 'key'], 'b']);
  });

  it('forgets what was checked if the files have changed, and keeps what was unchecked', () => {
    const choice = new FileChoice(null);
    choice.take(LIST);
    choice.check([file('a')], false);
    choice.check([file('out', 'outside')], true);
    choice.show('out');
    // It is sensitive by now, which the person has not seen.
    const files = [file('a'), file('b'), file('out', 'sensitive')];
    choice.take({ ...LIST, token: '2', files });
    assert.deepEqual([named(choice, files), choice.shownPath], [['b'], 'out']);
  });

  it('begins anew for another prompt', () => {
    const choice = new FileChoice(null);
    choice.take(LIST);
    choice.check([file('a')], false);
    choice.show('b');
    choice.take({ ...LIST, about: 'another', token: '2' });
    assert.deepEqual([named(choice), choice.shownPath], [['a', 'b'], 'a']);
  });
});
