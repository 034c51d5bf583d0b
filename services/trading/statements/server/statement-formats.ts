import type { StatementFormat } from './statement-format.ts'
import { ftmo } from './formats/ftmo.ts'

/** All formats. */
export const formats: readonly StatementFormat[] = [ftmo]
