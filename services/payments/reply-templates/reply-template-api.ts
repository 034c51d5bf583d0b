import { z } from 'zod'
import { namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, get, pathOf, post } from '#services/framework/api/route.ts'
import { LONGEST_NOTE, namedRequest, requiredNote, requiredText } from '#services/framework/api/text.ts'
import { replyTemplateId } from '#services/framework/ids.ts'
import { LONGEST_TEMPLATE_NAME } from './reply-template-vocabulary.ts'

/** Texts of the firm for the notes of rejections. */

export const ListedReplyTemplate = namedObject('ReplyTemplate', {
  id: z.string(),
  name: z.string(),
  text: z.string(),
})
export type ListedReplyTemplate = z.infer<typeof ListedReplyTemplate>

/** POST /api/admin/reply-templates */
export const NewReplyTemplate = namedRequest('NewReplyTemplate', {
  name: requiredText(LONGEST_TEMPLATE_NAME, 'Please enter a name'),
  text: requiredNote(LONGEST_NOTE, 'Please write the text'),
})

export const replyTemplateRoutes = {
  replyTemplates: get('/api/admin/reply-templates', 'read', {
    summary: 'The texts that rejections of payouts begin with',
    answer: answer('The templates', z.array(ListedReplyTemplate)),
  }),
  saveReplyTemplate: post('/api/admin/reply-templates', 'set-up-firm', {
    summary: 'Keep a text for rejections under a name; one with this name gets the new text',
    body: NewReplyTemplate,
    refuses: conflict,
  }),
  removeReplyTemplate: del('/api/admin/reply-templates/:id', 'set-up-firm', {
    summary: 'Delete a text for rejections',
    params: pathOf("The template's id", replyTemplateId, 'There is no such template'),
  }),
}
