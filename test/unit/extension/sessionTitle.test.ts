import assert from 'node:assert/strict';
import { NO_SESSIONS, sessionAt } from '../../../src/extension/sessions/sessionsState';
import { sessionTitle } from '../../../src/extension/text/sessionTitle';
import { t } from './fakes';

describe('The title of a session', () => {
  it('is its own title on one line, or the beginning of its id', () => {
    assert.equal(sessionTitle({ title: ' Plan\nthe move ', id: 'abcdefghijkl' }, t), 'Plan the move');
    assert.equal(sessionTitle({ title: null, id: 'abcdefghijkl' }, t), 'Session abcdefgh');
  });

  it('has no control character, and none that would reverse what is shown behind it', () => {
    const title = 'a\u202egnp.exe\u202c b\u001b[31m\u0000c \u2067d\u200f';
    assert.equal(sessionTitle({ title, id: 'abcdefghijkl' }, t), 'a gnp.exe b [31m c d');
    // Letters that are read from right to left are no such characters, and neither is what joins an emoji.
    assert.equal(sessionTitle({ title: 'שלום 👩‍👧', id: 'abcdefghijkl' }, t), 'שלום 👩‍👧');
  });

  it('states that it stands for the sessions of a project folder', () => {
    assert.equal(sessionTitle({ title: null, id: '-secret', isProjectFolder: true }, t), 'Sessions of this project');
  });

  it('is the file name for a session that is not listed', () => {
    const { id: sessionId, cwd } = sessionAt(NO_SESSIONS, '/c/projects/-p/abc.jsonl');
    assert.deepEqual([sessionId, cwd], ['abc', null]);
  });
});
