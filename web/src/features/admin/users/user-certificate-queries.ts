import type { Certificate } from '../../../../../services/api/certificate-schemas.ts'
import { send } from '../../../api/api.ts'
import { readQuery } from '../../../query-client.ts'
import { adminChange } from '../admin-change.ts'
import type { UserName } from './user-management-queries.ts'

const certificateList = () => import('../../../../../services/api/certificate-schemas.ts').then(({ Certificate }) => Certificate.array())

/** A trader's certificates. */
export const userCertificatesQuery = (user: string) =>
  readQuery(['admin', 'user', user, 'certificates'], `/api/admin/user/${encodeURIComponent(user)}/certificates`, certificateList, { staleTime: 0 })

interface Revocation extends Pick<Certificate, 'id' | 'name'> {
  readonly holder: UserName
  readonly reason: string
}

/** Declares a certificate invalid. */
export const revokeCertificate = adminChange({
  send: ({ id, reason }: Revocation) => send('POST', `/api/admin/certificates/${encodeURIComponent(id)}/revoke`, { reason }),
  done: ({ name, holder }) => ['Certificate revoked', `“${name}” of ${holder.fullName}, who gets a mail.`, holder.id],
  failed: () => 'Update failed',
})
