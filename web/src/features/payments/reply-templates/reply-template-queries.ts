import type { z } from 'zod'
import {
  type ListedReplyTemplate,
  type NewReplyTemplate,
  replyTemplateRoutes,
} from '#services/payments/reply-templates/reply-template-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** The texts of the firm for the notes of rejections. */
export const replyTemplatesQuery = routeQuery(replyTemplateRoutes.replyTemplates, { subjects: ['reply-templates'] })

export const saveReplyTemplate = staffChange({
  send: (body: z.input<typeof NewReplyTemplate>) => send(replyTemplateRoutes.saveReplyTemplate, { body }),
  done: ({ name }) => ['Template saved', `Choose “${name}” when you reject a payout.`],
  failed: () => 'The template could not be saved',
})

export const removeReplyTemplate = staffChange({
  send: ({ id }: ListedReplyTemplate) => send(replyTemplateRoutes.removeReplyTemplate, { params: { id } }),
  done: ({ name }) => ['Template deleted', `“${name}” is gone; what was sent stays as it is.`],
  failed: () => 'The template could not be deleted',
})
