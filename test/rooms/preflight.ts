// What tests use of core's room "preflight". A file that moves within src changes its path here alone.
export {
  CACHE_LIFETIME_MS,
  estimateRequest,
  type LastReply,
  type RequestFacts,
  RULES,
} from '../../src/core/preflight/estimateRequest';
export { readPreflight } from '../../src/core/preflight/readPreflight';
