"""Option tables of programs that copy, fetch, pack and edit files, shared by several rule families."""

from hermes_guard.argv import Options, Spec
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word

#: For install; cp and mv use some letters differently.
COPY = Spec(
    "a b c d f i l L n P p R r s S= t= T u v x Z? H C D g= m= o= archive backup? force interactive link "
    "dereference no-clobber no-dereference preserve? no-preserve= parents recursive reflink? remove-destination "
    "sparse= strip-trailing-slashes symbolic-link suffix= target-directory= no-target-directory update? verbose "
    "one-file-system help version group= mode= owner= directory compare strip strip-program= "
    "preserve-timestamps attributes-only copy-contents exchange no-copy debug"
)
CP = Spec(" ".join(f"{name}{kind}" for name, kind in COPY.kinds.items() if name not in {"g", "m", "o"}) + " g m o")
RSYNC = Spec(
    "a v r n z P h H A X S x u c i l L k K p t g o D q 0 4 6 b m R W d C I O J N U s e= rsh= f= filter= "
    "exclude= exclude-from= include= include-from= files-from= T= temp-dir= B= M= max-size= min-size= bwlimit= "
    "port= password-file= log-file= rsync-path= link-dest= compare-dest= copy-dest= backup-dir= suffix= chmod= "
    "chown= usermap= groupmap= timeout= contimeout= partial-dir= progress info= debug= out-format= archive "
    "verbose recursive compress dry-run help version stats human-readable list-only delete delete-after "
    "delete-before delete-during delete-excluded remove-source-files ignore-existing partial update existing "
    "checksum size-only times perms links copy-links safe-links numeric-ids iconv= compress-level= "
    "skip-compress= modify-window= write-batch= read-batch= only-write-batch= checksum-choice= compress-choice= "
    "protocol= sockopts= address= no-motd max-delete= max-alloc= stop-after= stop-at= outbuf= block-size= "
    "log-file-format= remote-option= early-input= copy-as= checksum-seed= delete-delay "
    "delete-missing-args del remove-sent-files"
)
#: Options of rsync that delete.
RSYNC_DELETES = (
    "delete", "delete-before", "delete-during", "delete-delay", "delete-after", "delete-excluded",
    "delete-missing-args", "del", "remove-source-files", "remove-sent-files",
)  # fmt: skip
SCP = Spec("1 2 3 4 6 A B C p q r v O R s T c= D= F= i= J= l= o= P= S= X=")
SED = Spec(
    "n e= E f= i? I? l= r s u z a b quiet silent expression= file= in-place? line-length= posix regexp-extended "
    "separate sandbox follow-symlinks debug null-data unbuffered help version"
)
TAR = Spec(
    "x c t r u A d f= C= v z j J Z P p k O m h T= X= I= b= g= K= L= N= V= W w S s= o i l n B M G F= H= U a R "
    "directory= file= extract get create list append update concatenate diff compare delete absolute-names "
    "strip-components= transform= xform= exclude= exclude-from= files-from= to-command= checkpoint-action= "
    "checkpoint? use-compress-program= one-top-level? to-stdout info-script= new-volume-script= rsh-command= "
    "rmt-command= gzip bzip2 xz zstd verbose preserve-permissions same-owner no-same-owner overwrite "
    "keep-old-files owner= group= mode= mtime= sort= wildcards remove-files dereference help version totals "
    "exclude-vcs auto-compress show-transformed-names force-local occurrence? recursive-unlink unlink-first "
    "anchored",
    bundle=True,
)
CURL = Spec(
    "0 1 2 3 4 6 a B f g G i I j J k l L M n N O p q R s S v V Z # : A= b= c= C= d= D= e= E= F= h? H= K= m= o= "
    "P= Q= r= t= T= u= U= w= x= X= y= Y= z= data= data-raw= data-binary= data-urlencode= data-ascii= json= "
    "form= form-string= upload-file= output= output-dir= header= user= user-agent= referer= cookie= cookie-jar= "
    "config= dump-header= request= url= url-query= proxy= proxy-user= proxy-header= max-time= connect-timeout= "
    "retry= retry-delay= retry-max-time= cacert= capath= cert= cert-type= key= key-type= pass= trace= "
    "trace-ascii= stderr= write-out= range= resolve= interface= limit-rate= netrc-file= oauth2-bearer= "
    "unix-socket= abstract-unix-socket= etag-save= etag-compare= hsts= alt-svc= libcurl= variable= ciphers= "
    "continue-at= max-redirs= max-filesize= dns-servers= doh-url= connect-to= request-target= time-cond= "
    "speed-limit= speed-time= keepalive-time= noproxy= socks5= socks5-hostname= socks4= preproxy= proto= "
    "proto-default= quote= postquote= mail-from= mail-rcpt= mail-auth= aws-sigv4= expect100-timeout= tls-max= "
    "local-port= location location-trusted silent show-error fail fail-with-body head get include insecure "
    "compressed remote-name remote-name-all remote-header-name remote-time create-dirs verbose globoff netrc "
    "netrc-optional http1.1 http2 http3 ipv4 ipv6 parallel no-progress-meter progress-bar append anyauth basic "
    "digest help? version manual no-buffer raw tcp-nodelay path-as-is ssl-reqd no-clobber remove-on-error "
    "styled-output retry-all-errors retry-connrefused next"
)
WGET = Spec(
    "b V h d q v F c N S 4 6 x nd nc nH nv r k K m p H L np E O= P= o= a= e= i= B= t= T= w= Q= U= l= A= R= D= "
    "I= X= output-document= directory-prefix= output-file= append-output= execute= input-file= base= tries= "
    "timeout= wait= user-agent= header= post-data= post-file= method= body-data= body-file= user= password= "
    "http-user= http-password= load-cookies= save-cookies= referer= ca-certificate= certificate= private-key= "
    "level= accept= reject= domains= limit-rate= max-redirect= use-askpass= warc-file= rejected-log= quiet "
    "verbose continue timestamping no-check-certificate content-disposition trust-server-names spider recursive "
    "mirror no-parent no-directories no-host-directories page-requisites convert-links show-progress no-verbose "
    "help version no-clobber span-hosts cut-dirs= progress= read-timeout= connect-timeout= dns-timeout= "
    "waitretry= retry-connrefused bind-address= no-proxy"
)
GIT = Spec(
    "C= c= git-dir= work-tree= namespace= exec-path? p paginate P no-pager bare no-replace-objects "
    "super-prefix= config-env= literal-pathspecs no-optional-locks help version h v",
    posix=True,
)


def removes_files(command: Command) -> bool:
    """Return True when tar deletes the files it has packed, including an abbreviated option."""
    return any(len(word.raw) > 7 and "--remove-files".startswith(word.raw) for word in command.args)


def tar_folders(options: Options, command: Command) -> list[Word]:
    """Return the directories that tar changes to, including one attached to its option."""
    glued = [word.tail(2) for word in command.args if word.raw.startswith("-C") and len(word.raw) > 2]
    return options.values("C", "directory") + glued
