import { createHash } from 'node:crypto'
import { canonicalJson } from '#services/proof/canonical-json.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import type { HashedTerms } from '../programme.ts'

/** Terms with the lower-case hex SHA-256 of their canonical JSON (RFC 8785). */
export function hashedTerms(terms: ProgrammeTerms): HashedTerms {
  return { terms, hash: createHash('sha256').update(canonicalJson(terms)).digest('hex') }
}
