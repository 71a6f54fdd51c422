import * as fs from 'node:fs';
import { assertRegular } from '../util/openForeignFile';
import { copyExtendedAttributes } from './extendedAttributes';
import { COPY_FLAGS, OPEN_FLAGS, type OpenFile, PRIVATE_MODE, type WriteFs } from './writeFs';

/**
 * The real file system, for a program that does one thing and ends: each call blocks the thread. Such a program then needs
 * neither Node's threads nor the modules for promises, whose start takes longer than all of its calls.
 */
export const blockingWriteFs: WriteFs = {
  open: (path, mode) =>
    attempt(() => {
      const file = fs.openSync(path, OPEN_FLAGS[mode], PRIVATE_MODE);
      try {
        const stat = mode === 'create' ? null : fs.fstatSync(file);
        if (stat !== null && (mode !== 'read' || !stat.isDirectory())) assertRegular(stat);
      } catch (error) {
        fs.closeSync(file);
        throw error;
      }
      return openFile(file);
    }),
  lstat: (path) => attempt(() => fs.lstatSync(path, { bigint: true })),
  stat: (path) => attempt(() => fs.statSync(path)),
  readdir: (folder) => attempt(() => fs.readdirSync(folder)),
  rename: (from, to) =>
    attempt(() => {
      fs.renameSync(from, to);
    }),
  link: (existing, path) =>
    attempt(() => {
      fs.linkSync(existing, path);
    }),
  copy: (existing, path) =>
    attempt(() => {
      fs.copyFileSync(existing, path, COPY_FLAGS);
      fs.chmodSync(path, PRIVATE_MODE);
    }),
  unlink: (path) =>
    attempt(() => {
      fs.unlinkSync(path);
    }),
  mkdir: (path, mode) =>
    attempt(() => {
      fs.mkdirSync(path, mode);
    }),
  rmdir: (path) =>
    attempt(() => {
      fs.rmdirSync(path);
    }),
  utimes: (path, atime, mtime) =>
    attempt(() => {
      fs.utimesSync(path, atime, mtime);
    }),
  realpath: (path) => attempt(() => fs.realpathSync(path)),
  accessToWrite: (path) =>
    attempt(() => {
      fs.accessSync(path, fs.constants.W_OK);
    }),
};

function openFile(file: number): OpenFile {
  return {
    fd: file,
    copyExtendedAttributes: (from) => copyExtendedAttributes(from.fd, file),
    read: (buffer, position) => attempt(() => fs.readSync(file, buffer, 0, buffer.length, position)),
    write: (bytes) => attempt(() => fs.writeSync(file, bytes, 0, bytes.length, null)),
    stat: () => attempt(() => fs.fstatSync(file, { bigint: true })),
    sync: () =>
      attempt(() => {
        fs.fsyncSync(file);
      }),
    chmod: (mode) =>
      attempt(() => {
        fs.fchmodSync(file, mode);
      }),
    chown: (uid, gid) =>
      attempt(() => {
        fs.fchownSync(file, uid, gid);
      }),
    utimes: (atimeSeconds, mtimeSeconds) =>
      attempt(() => {
        fs.futimesSync(file, atimeSeconds, mtimeSeconds);
      }),
    close: () =>
      attempt(() => {
        fs.closeSync(file);
      }),
  };
}

/** Rejects where the call throws. */
function attempt<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(call());
  });
}
