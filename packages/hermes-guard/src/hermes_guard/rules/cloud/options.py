"""The options that the command lines of clouds have in common."""

from hermes_guard.argv import Spec

COMMON = Spec(
    "project= account= format= filter= zone= region= configuration= impersonate-service-account= verbosity= "
    "billing-project= q quiet a= app= r= remote= c= config= o= output= n= name= g= resource-group= "
    "subscription= query= t= access-token= token= context= profile= p= org= scope= team= cwd= S= u= h help "
    "version dry-run dryrun yes y f force confirm= command= m recursive delete-unmatched-destination-objects "
    "delete remove source-ranges= num-nodes= prod env= e= what-if no-prompt i= s= v log-level= log-file= "
    "transfers= checkers= include= exclude= bwlimit= prune delete-removed delete-destination? d n "
    "resync allow= rules= key-file= sql= metadata= environment= all size= node-count= activation-policy= message="
)
