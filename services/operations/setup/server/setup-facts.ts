import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { CurrentFirm } from '#services/identity/firm/server/current-firm.ts'
import { adminKeys } from '#services/identity/staff/member-read-model.ts'
import type { System } from '#services/operations/installation/installation-api.ts'
import { FIRM_ACCOUNT_ID, firmAccounts } from '#services/payments/batches/firm-account.ts'
import type { Config } from '#services/process/config.ts'
import { areSealsInDataFolder, mailFolderOf } from '#services/process/data-folder.ts'
import { readFirmOffers } from '#services/programmes/programmes/server/offers.ts'
import { programmes } from '#services/programmes/programmes/programme-read-model.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import { importDocuments } from '#services/trading/imports/import-read-model.ts'
import { SETUP_ID, setupStreams } from '../setup.ts'
import type { SetupFacts } from '../setup-steps.ts'

export type SetupConfig = Pick<
  Config,
  'purchaseUrl' | 'smtpUrl' | 'dataDir' | 'sealsDir' | 'sealsUrl' | 'witnessPolicy'
>

interface FactParts {
  readonly repositories: Repositories
  readonly readModels: Pick<ReadModels, 'count' | 'find' | 'getMany'>
  readonly config: SetupConfig
  readonly firm: Pick<CurrentFirm, 'now'>
  readonly now: () => number
}

/** The read models that the facts are in. */
export const factModels = [adminKeys, programmes, payouts, stageEvents, importDocuments]

/** Members of staff that are counted. */
const MOST_MEMBERS = 1_000
/** Programmes that somebody may be enrolled in. */
const MOST_PROGRAMMES = 1_000

/** Reads what is true of the installation now. @param lastBackup As `readInstallationState` gives it. */
export async function readSetupFacts(
  { repositories, readModels, config, firm, now }: FactParts,
  lastBackup: System['installation']['lastBackup'],
): Promise<SetupFacts> {
  const all = await readModels.find(programmes, { limit: MOST_PROGRAMMES })
  const has = async (...query: Parameters<typeof readModels.count>) => (await readModels.count(...query)) > 0
  const [account, setup, offers, keys] = await Promise.all([
    repositories.of(firmAccounts).load(FIRM_ACCOUNT_ID),
    repositories.of(setupStreams).load(SETUP_ID),
    readFirmOffers({ repositories, readModels }, config.purchaseUrl),
    readModels.find(adminKeys, { limit: MOST_MEMBERS }),
  ])
  const [enrolled, traded, paid] = await Promise.all([
    has(stageEvents, { where: { programme: all.documents.map(({ id }) => id) } }, 1),
    has(importDocuments, { where: { state: 'completed' } }, 1),
    has(payouts, { where: { 'payment.state': 'paid' } }, 1),
  ])
  const isValid = ({ revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null }) =>
    revokedAt === null && (expiresAt === null || expiresAt > now())
  return {
    firmName: (await firm.now()).name,
    mailFolder: mailFolderOf(config),
    mailTested: setup.state.lastTest,
    offers,
    hasFirmAccount: account.state !== null,
    backupAge: lastBackup && now() - Date.parse(lastBackup.at),
    sealsOutside: !areSealsInDataFolder(config) || Boolean(config.witnessPolicy?.witnesses.some(({ url }) => url)),
    members: keys.documents.filter(isValid).length,
    trader: { enrolled, traded: traded || paid, paid },
  }
}
