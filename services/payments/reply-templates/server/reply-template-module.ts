import { done } from '#services/framework/http/serve-route.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import type { replyTemplateRoutes } from '../reply-template-api.ts'
import { replyTemplateSubject } from '../reply-template-subject.ts'
import { removeReplyTemplate, REPLY_TEMPLATES_ID, replyTemplateStreams, saveReplyTemplate } from '../reply-template.ts'

export const replyTemplateModule: Module<typeof replyTemplateSubject, PaymentsParts> = {
  subject: replyTemplateSubject,
  commands: replyTemplateCommands,
  queries: replyTemplateQueries,
  // They are the firm's, and about nobody.
  erase: null,
}

function replyTemplateCommands({ repositories }: PaymentsParts['commands']): Commands<typeof replyTemplateRoutes> {
  const repository = repositories.of(replyTemplateStreams)
  return {
    saveReplyTemplate: async ({ body, context }) => {
      const saved = await repository.decide(REPLY_TEMPLATES_ID, context, (templates) =>
        saveReplyTemplate(templates, body),
      )
      return done(saved.position)
    },

    removeReplyTemplate: async ({ params, context }) => {
      const removed = await repository.decide(REPLY_TEMPLATES_ID, context, (templates) =>
        removeReplyTemplate(templates, params.id),
      )
      return done(removed.position)
    },
  }
}

function replyTemplateQueries({ repositories }: PaymentsParts['queries']): Queries<typeof replyTemplateRoutes> {
  return {
    replyTemplates: {
      needs: [],
      handle: async () => {
        const { state } = await repositories.of(replyTemplateStreams).load(REPLY_TEMPLATES_ID)
        return { body: [...state.list] }
      },
    },
  }
}
