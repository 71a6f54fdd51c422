import assert from 'node:assert/strict';
import { sessionFocus } from '../../../src/host/sessions/sessionFocus';

const tab = (filePath: string | null, isActive = false) => ({ filePath, isActive });

describe('the sessions that the person has before them', () => {
  it('are those of the focused tab, of other tabs on top, and of tabs behind', () => {
    const focus = sessionFocus([
      { isActive: false, tabs: [tab('/behind.jsonl'), tab('/beside.jsonl', true)] },
      { isActive: true, tabs: [tab('/focused.jsonl', true), tab('/behind-2.jsonl')] },
    ]);
    assert.deepEqual(focus, {
      active: ['/focused.jsonl'],
      visible: ['/beside.jsonl'],
      background: ['/behind.jsonl', '/behind-2.jsonl'],
    });
  });
  it('are none where the tabs are about something else', () => {
    assert.deepEqual(sessionFocus([{ isActive: true, tabs: [tab(null, true), tab(null)] }]), {
      active: [],
      visible: [],
      background: [],
    });
  });
});
