// What tests use of core's room "util". A file that moves within src changes its path here alone.
export { Column } from '../../src/core/util/columns';
export { diskSessionFiles, type FileStamp, isSameStamp, type SessionFiles } from '../../src/core/util/diskFiles';
export { isJsonObject, type JsonObject, parseObject } from '../../src/core/util/json';
export {
  fileProblem,
  openRegularFile,
  openRegularHandle,
  readFileEnd,
  readSmallFile,
} from '../../src/core/util/openForeignFile';
export {
  type Clock,
  createPacer,
  Deferred,
  forEachConcurrent,
  type Pacer,
  systemClock,
} from '../../src/core/util/scheduling';
