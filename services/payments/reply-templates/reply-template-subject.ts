import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { subject } from '#services/framework/subject.ts'
import { replyTemplateRoutes } from './reply-template-api.ts'
import { type ReplyTemplateEvent, replyTemplateEvents, replyTemplateStreams } from './reply-template.ts'

const replyTemplateDescriptions = {
  ReplyTemplateSaved: {
    title: 'Reply template saved',
    category: 'replyTemplates',
    changes: ({ data: { name, text } }) => [
      change('replyTemplate.name', null, name),
      change('replyTemplate.text', null, text),
    ],
  },
  ReplyTemplateRemoved: {
    title: 'Reply template deleted',
    category: 'replyTemplates',
    changes: ({ data }) => [change('replyTemplate.name', data.name, null)],
  },
} as const satisfies EventDescriptions<ReplyTemplateEvent>

/** Reply templates: the half that runs anywhere. */
export const replyTemplateSubject = subject({
  title: 'Reply templates',
  about: 'Texts of the firm that the notes of rejections begin with',
  events: replyTemplateEvents,
  aggregates: [replyTemplateStreams],
  descriptions: replyTemplateDescriptions,
  shown: {
    replyTemplate: { fields: { name: { label: 'Name', kind: 'text' }, text: { label: 'Text', kind: 'text' } } },
  },
  categories: { replyTemplates: { label: 'Reply templates', group: 'firm', staffOnly: true, isDecision: false } },
  routes: replyTemplateRoutes,
})
