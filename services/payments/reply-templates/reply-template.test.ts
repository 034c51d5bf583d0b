import { describe, it } from 'vitest'
import { replyTemplateId } from '#services/framework/ids.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import { MOST_TEMPLATES } from './reply-template-vocabulary.ts'
import {
  removeReplyTemplate,
  replyTemplateDecider,
  type ReplyTemplateEvent,
  type ReplyTemplates,
  saveReplyTemplate,
} from './reply-template.ts'

const given = givenEvents(replyTemplateDecider)
const id = (number: number) => replyTemplateId.parse(`t${number}`)
const saved = (number: number, name: string, text = 'Please send a statement.'): ReplyTemplateEvent => ({
  type: 'ReplyTemplateSaved',
  data: { template: id(number), name, text },
})
const removed: ReplyTemplateEvent = { type: 'ReplyTemplateRemoved', data: { template: id(1), name: 'Statement' } }
const save =
  (name: string, text = 'Please send a statement.') =>
  (templates: ReplyTemplates) =>
    saveReplyTemplate(templates, { name, text })
const remove = (templates: ReplyTemplates) => removeReplyTemplate(templates, id(1))

describe('a reply template', () => {
  it('is kept under a name, whose text can be another one', () => {
    given()
      .when(save('Statement'))
      .then([saved(1, 'Statement')])
    given(saved(1, 'Statement'))
      .when(save('statement', 'Send it again.'))
      .then([saved(1, 'statement', 'Send it again.')])
    given(saved(1, 'Statement')).when(save('Statement')).thenNothing()
  })

  it('has a number that is used once', () => {
    given(saved(1, 'Statement'), saved(1, 'Statement', 'Other'), removed)
      .when(save('Wallet'))
      .then([saved(2, 'Wallet')])
  })

  it('is deleted once', () => {
    given(saved(1, 'Statement')).when(remove).then([removed])
    given(saved(1, 'Statement'), removed).when(remove).thenRefused('not-found', 'There is no such template')
  })

  it('is refused where there are more than fit into a choice; one that is there can change', () => {
    const all = Array.from({ length: MOST_TEMPLATES }, (_, n) => saved(n + 1, `Text ${n + 1}`))
    given(...all)
      .when(save('One more'))
      .thenRefused('conflict', 'There are 30 templates. Please delete one first.')
    given(...all)
      .when(save('Text 3', 'Other'))
      .then([saved(3, 'Text 3', 'Other')])
  })
})
