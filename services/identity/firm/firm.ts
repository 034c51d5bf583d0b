import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accentFault } from './firm-colour.ts'
import { type FirmSettings, firmFields, type LogoType, logoTypes } from './firm-vocabulary.ts'

/** The name, the colour and the addresses that the firm shows, in one stream. */

const value = z.string().nullable()
const stored = z.object({
  name: value,
  accent: value,
  supportEmail: value,
  senderName: value,
  senderAddress: value,
}) satisfies z.ZodType<FirmSettings>

/** The logo lies in the event: it is small, and every copy of the log has it. */
const storedLogo = z.object({
  type: z.enum(logoTypes),
  /** Base64. */
  content: z.string(),
  sha256: z.string(),
  width: z.int(),
  height: z.int(),
})
export type FirmLogo = z.infer<typeof storedLogo>

export const firmEvents = defineEvents({
  FirmChanged: { from: stored, to: stored },
  /** Null: without a logo. */
  FirmLogoChanged: { from: z.string().nullable(), to: storedLogo.nullable() },
})
export type FirmEvent = EventOf<typeof firmEvents>

export interface FirmState {
  readonly settings: FirmSettings
  readonly logo: FirmLogo | null
  /** Every name that the firm had, with the moment from which on (ms since 1970): what was issued keeps its own. */
  readonly names: readonly { readonly name: string | null; readonly since: number }[]
}

const unset: FirmSettings = { name: null, accent: null, supportEmail: null, senderName: null, senderAddress: null }

const decider: Decider<FirmState, FirmEvent> = {
  initial: { settings: unset, logo: null, names: [] },
  evolve(state, { type, data, at }) {
    if (type === 'FirmLogoChanged') return { ...state, logo: data.to }
    const { name } = data.to
    const names = name === state.settings.name ? state.names : [...state.names, { name, since: at }]
    return { ...state, settings: data.to, names }
  },
}

export const firmStreams = aggregate('firm', decider, firmEvents, null)

export const FIRM_ID = 'this'

/**
 * Fields that are left out stay; null leaves one to its variable.
 *
 * @throws {Refused} invalid, for a colour that cannot be read.
 */
export function changeFirm({ settings: from }: FirmState, changes: Partial<FirmSettings>): FirmEvent[] {
  const to = { ...from, ...changes }
  if (firmFields.every((field) => from[field] === to[field])) return []
  const fault = to.accent !== null && to.accent !== from.accent ? accentFault(to.accent) : undefined
  if (fault !== undefined) throw new Refused('invalid', fault, 'accent')
  return [{ type: 'FirmChanged', data: { from, to } }]
}

export function changeLogo({ logo }: FirmState, to: FirmLogo | null): FirmEvent[] {
  const from = logo?.sha256 ?? null
  return from === (to?.sha256 ?? null) ? [] : [{ type: 'FirmLogoChanged', data: { from, to } }]
}

/** What the firm was called at a moment: undefined before it had a name of its own. */
export function nameAt({ names }: FirmState, at: number): string | undefined {
  return names.findLast(({ since }) => since <= at)?.name ?? undefined
}

/** The ending of a logo's file. */
export const logoEndings: Readonly<Record<LogoType, string>> = { 'image/svg+xml': 'svg', 'image/png': 'png' }

/** The address of a logo: another one for other content, so that browsers may keep it. */
export function logoPath({ sha256, type }: Pick<FirmLogo, 'sha256' | 'type'>): string {
  return `/firm/logo/${sha256.slice(0, 32)}.${logoEndings[type]}`
}
