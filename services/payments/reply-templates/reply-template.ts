import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type ReplyTemplateId, replyTemplateId } from '#services/framework/ids.ts'
import { MOST_TEMPLATES } from './reply-template-vocabulary.ts'

/** Texts of the firm that staff begin the notes of a rejection with. They are about nobody. */

export const replyTemplateEvents = defineEvents({
  /** A new one, or another text of one that is there. */
  ReplyTemplateSaved: { template: replyTemplateId, name: z.string(), text: z.string() },
  ReplyTemplateRemoved: { template: replyTemplateId, name: z.string() },
})
export type ReplyTemplateEvent = EventOf<typeof replyTemplateEvents>

export interface ReplyTemplate {
  readonly id: ReplyTemplateId
  readonly name: string
  readonly text: string
}

export interface ReplyTemplates {
  /** In the order that they were first saved in. */
  readonly list: readonly ReplyTemplate[]
  /** The number of the newest: each is used once. */
  readonly newest: number
}

export const replyTemplateDecider: Decider<ReplyTemplates, ReplyTemplateEvent> = {
  initial: { list: [], newest: 0 },
  evolve({ list, newest }, { type, data }) {
    if (type === 'ReplyTemplateRemoved') return { list: list.filter(({ id }) => id !== data.template), newest }
    const { template: id, name, text } = data
    return list.some((each) => each.id === id)
      ? { list: list.map((each) => (each.id === id ? { id, name, text } : each)), newest }
      : { list: [...list, { id, name, text }], newest: newest + 1 }
  },
}

/**
 * Saves a text under a name; one with this name gets the new text.
 *
 * @throws {Refused} conflict, where there are too many.
 */
export function saveReplyTemplate(
  { list, newest }: ReplyTemplates,
  { name, text }: Omit<ReplyTemplate, 'id'>,
): ReplyTemplateEvent[] {
  const before = list.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (before?.name === name && before.text === text) return []
  if (!before && list.length >= MOST_TEMPLATES)
    throw new Refused('conflict', `There are ${MOST_TEMPLATES} templates. Please delete one first.`)
  const template = before?.id ?? replyTemplateId.parse(`t${newest + 1}`)
  return [{ type: 'ReplyTemplateSaved', data: { template, name, text } }]
}

/** @throws {Refused} not-found */
export function removeReplyTemplate({ list }: ReplyTemplates, template: ReplyTemplateId): ReplyTemplateEvent[] {
  const found = list.find(({ id }) => id === template)
  if (!found) throw new Refused('not-found', 'There is no such template')
  return [{ type: 'ReplyTemplateRemoved', data: { template, name: found.name } }]
}

export const replyTemplateStreams = aggregate('templates', replyTemplateDecider, replyTemplateEvents, null)

/** All of the firm's are in one stream. */
export const REPLY_TEMPLATES_ID = 'this'
