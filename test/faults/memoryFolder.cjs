// Loaded before the tests: thousands of scenes are set up and removed, none of which has to survive, so they lie in memory
// where the system has a folder for that (Linux) and room in it. A disk on which others work makes the tests several times slower.
const { accessSync, constants, statfsSync } = require('node:fs');

const FOLDER = '/dev/shm';
const LEAST_BYTES = 512 * 1024 * 1024;

function hasRoom() {
  try {
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize >= LEAST_BYTES;
  } catch {
    return false;
  }
}

if (hasRoom()) process.env.TMPDIR = FOLDER;
