import assert from 'node:assert/strict';
import { workspaceIndex } from '../../rooms/sessions';

const FOLDERS = [
  { path: '/src/app', realPath: '/disk/app', projectName: '-disk-app' },
  { path: '/src/tools/cli', realPath: '/src/tools/cli', projectName: '-src-tools-cli' },
];

const index = (cwd: string | null, name = '-x'): number => workspaceIndex({ name, cwd }, FOLDERS, '/home/person');

describe('A project belongs to the window', () => {
  it('when its folder is named after an open folder, links resolved', () => {
    assert.equal(index(null, '-disk-app'), 0);
  });
  it('when its sessions ran in an open folder, or inside one', () => {
    assert.equal(index('/src/app'), 0);
    assert.equal(index('/src/app/packages/x'), 0);
    assert.equal(index('/disk/app/packages/x'), 0);
  });
  it('when its sessions ran in a folder that contains an open one', () => {
    assert.equal(index('/src/tools'), 1);
  });
  it('only if its directory matches whole path segments, not just the first letters', () => {
    assert.equal(index('/src/app-old'), -1);
    assert.equal(index('/src/..app'), -1);
  });
  it('but not when it ran in the home folder or at the root, which contain nearly everything', () => {
    const inHome = [{ path: '/home/person/app', realPath: '/home/person/app', projectName: '-home-person-app' }];
    for (const cwd of ['/home/person', '/home', '/']) {
      assert.equal(workspaceIndex({ name: '-x', cwd }, inHome, '/home/person'), -1, cwd);
    }
  });
  it('when the home folder itself is open', () => {
    const home = [{ path: '/home/person', realPath: '/home/person', projectName: '-home-person' }];
    assert.equal(workspaceIndex({ name: '-x', cwd: '/home/person' }, home, '/home/person'), 0);
  });
});
