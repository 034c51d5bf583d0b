import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Certificate } from '../../../../../services/api/certificate-schemas.ts'
import { get, send } from '../../../api/api.ts'
import { adminChange } from '../admin-change.ts'
import type { UserName } from './user-management-queries.ts'

const certificateList = () => import('../../../../../services/api/certificate-schemas.ts').then(({ Certificate }) => Certificate.array())

/** A trader's certificates. */
export const userCertificatesQuery = (user: string) =>
  queryOptions({
    queryKey: ['admin', 'user', user, 'certificates'],
    queryFn: ({ signal }): Promise<Certificate[]> => get(`/api/admin/user/${encodeURIComponent(user)}/certificates`, certificateList, { signal }),
    staleTime: 0,
    meta: { session: 'admin' },
  })

interface Revocation {
  readonly id: string
  readonly name: string
  readonly holder: UserName
  readonly reason: string
}

/** Declares a certificate invalid. */
export const revokeCertificate = (client: QueryClient) =>
  adminChange(client, {
    send: ({ id, reason }: Revocation) => send('POST', `/api/admin/certificates/${encodeURIComponent(id)}/revoke`, { reason }),
    done: ({ name, holder }) => ['Certificate revoked', `“${name}” of ${holder.fullName}, who gets a mail.`, holder.id],
    failed: () => 'Update failed',
    refreshes: ['user'],
  })
