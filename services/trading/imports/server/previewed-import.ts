import type { ImportId } from '#services/framework/ids.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { PreviewedImport } from '../import.ts'
import type { Mapping } from '../mapping-api.ts'
import { countsOf, createImportFiles } from './import-files.ts'
import { previewRows, type PreviewParts } from './import-preview.ts'
import { importSays } from './import-says.ts'
import type { Owner } from './statement-owners.ts'
import type { SourceStatement } from './statement-source.ts'

/** Checks that the event of an import keeps: a file may disagree in each of its rows. */
const MOST_CHECKS = 100

interface HowRead {
  /** The account that all rows are said to be of. */
  readonly owner: Owner | null
  /** Null for a file of a known format. */
  readonly mapping: Mapping | null
}

/** Previews a statement, and keeps its rows until they are recorded. Returns the data of the event that says so. */
export async function previewedImport(
  { fileStore, ...parts }: PreviewParts & Pick<TradingParts['commands'], 'fileStore'>,
  id: ImportId,
  statement: SourceStatement,
  { owner, mapping }: HowRead,
): Promise<PreviewedImport> {
  const files = createImportFiles(fileStore)
  const { rows, accounts, hints } = await previewRows(parts, statement, owner)
  const [only, ...others] = accounts
  return {
    kind: statement.kind,
    account: owner?.id ?? (mapping || others.length > 0 ? null : (only?.account ?? null)),
    mapping,
    ...(statement.file && { statement: statementOf(statement, hints) }),
    says: importSays(statement),
    sha256: statement.sha256,
    rowsSha256: await files.putRows(id, rows),
    accountsSha256: await files.putAccounts(id, accounts),
    counts: countsOf(rows),
  }
}

function statementOf(
  { file, checks, hints }: SourceStatement,
  ofPreview: readonly string[],
): PreviewedImport['statement'] {
  if (!file) return undefined
  const disagreeing = checks.filter(({ agrees }) => !agrees)
  const dropped = new Set(disagreeing.slice(MOST_CHECKS))
  return {
    ...{ format: file.format, zone: file.zone, ...file.account },
    checks: checks.flatMap((check) => (dropped.has(check) ? [] : [{ ...check, line: check.line ?? null }])),
    disagreements: disagreeing.length,
    hints: [...hints, ...ofPreview],
  }
}
