import type { MailAddress } from '#infra/mail-transport/mail-transport.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Config } from '#services/process/config.ts'
import { FIRM_ID, type FirmState, firmStreams, logoPath, nameAt } from '../firm.ts'
import { accentShades } from '../firm-colour.ts'
import { PRODUCT } from '../firm-vocabulary.ts'
import type { ShownFirm } from '../shown-firm-api.ts'

/** The firm as mails, certificates and pages name it. What is set goes before the variables. */
export interface Firm {
  /** Undefined where nobody has named it. */
  readonly name: string | undefined
  /** The name, or the product's. */
  readonly title: string
  /** '#1d4ed8'; null for the app's own. */
  readonly accent: string | null
  readonly supportEmail: string | undefined
  readonly sender: MailAddress
  readonly shown: ShownFirm
}

export type CurrentFirm = ReturnType<typeof createCurrentFirm>

type FirmConfig = Pick<Config, 'firmName' | 'supportEmail' | 'mailFrom'>

/** Reads the firm in the log: every process sees a change at once. All throw Unavailable while it is away. */
export function createCurrentFirm({
  repositories,
  config,
}: {
  readonly repositories: Repositories
  readonly config: FirmConfig
}) {
  const state = async (): Promise<FirmState> => (await repositories.of(firmStreams).load(FIRM_ID)).state
  return {
    state,
    now: async (): Promise<Firm> => firmOf(await state(), config),
    /** What it was called at a moment, ms since 1970; undefined where nobody had named it. */
    nameAt: async (at: number): Promise<string | undefined> => nameAt(await state(), at) ?? config.firmName,
  }
}

export function firmOf({ settings, logo }: FirmState, config: FirmConfig): Firm {
  const name = settings.name ?? config.firmName
  const title = name ?? PRODUCT
  const supportEmail = settings.supportEmail ?? config.supportEmail
  const { accent } = settings
  const shades = accent === null ? null : accentShades(accent)
  return {
    ...{ name, title, accent, supportEmail },
    sender: { name: settings.senderName ?? title, address: settings.senderAddress ?? config.mailFrom },
    shown: {
      name: name ?? null,
      accent: shades && [shades.accent, shades.strong, shades.soft, shades.on],
      logo: logo && { path: logoPath(logo), width: logo.width, height: logo.height },
      supportEmail: supportEmail ?? null,
    },
  }
}
