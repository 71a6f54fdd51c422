import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from './job';

/** Takes project folders in place of transcripts, and reads the stat of each file in them. */
export const bareWalk: Job = (next) => {
  let files = 0;
  let bytes = 0;
  for (let projects = next(); projects !== null; projects = next()) {
    for (const project of readdirSync(projects)) {
      const folder = join(projects, project);
      for (const name of readdirSync(folder)) {
        bytes += statSync(join(folder, name)).size;
        files++;
      }
    }
  }
  return { files, bytes };
};
