import assert from 'node:assert/strict';
import { sessionFocus } from '../../../src/extension/sessions/currentSession';

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
  it('are those of panels, too', () => {
    const groups = [{ isActive: true, tabs: [tab('/behind.jsonl')] }];
    const focus = sessionFocus(groups, [
      { filePath: '/panel.jsonl', place: 'active' },
      { filePath: '/panel-beside.jsonl', place: 'visible' },
      { filePath: '/panel-behind.jsonl', place: 'background' },
    ]);
    assert.deepEqual(focus, {
      active: ['/panel.jsonl'],
      visible: ['/panel-beside.jsonl'],
      background: ['/panel-behind.jsonl', '/behind.jsonl'],
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
