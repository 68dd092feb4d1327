"""Types of the public names. Written by docs/generate.py."""

from polyroc import curves as curves
from polyroc import datasets as datasets
from polyroc import display as display
from polyroc import errors as errors
from polyroc import inference as inference
from polyroc import metrics as metrics
from polyroc import readers as readers
from polyroc import report as report
from polyroc import results as results
from polyroc import scale as scale
from polyroc import surface as surface
from polyroc import utility as utility
from polyroc._version import __version__ as __version__
from polyroc.coupling import PairwiseCoupling as PairwiseCoupling
from polyroc.inference import compare as compare
from polyroc.inference import estimate as estimate
from polyroc.inference import evaluate as evaluate
from polyroc.inference import plan as plan
from polyroc.inference import reader_study as reader_study
from polyroc.inference import study as study
from polyroc.metrics import au1p as au1p
from polyroc.metrics import auc_mu as auc_mu
from polyroc.metrics import aunp as aunp
from polyroc.metrics import aunu as aunu
from polyroc.metrics import hand_till as hand_till
from polyroc.metrics import hand_till_probabilistic as hand_till_probabilistic
from polyroc.metrics import hand_till_scored as hand_till_scored
from polyroc.metrics import hum as hum
from polyroc.metrics import ordinal_vus as ordinal_vus
from polyroc.metrics import pairwise_auc as pairwise_auc
from polyroc.metrics import pdi as pdi
from polyroc.metrics import probabilistic_auc as probabilistic_auc
from polyroc.metrics import registry as registry
from polyroc.metrics import roc_auc as roc_auc
from polyroc.metrics import saec as saec
from polyroc.metrics import scored_auc as scored_auc
from polyroc.metrics import simplex_volume as simplex_volume
from polyroc.metrics import total_length as total_length
from polyroc.metrics import triangle_area as triangle_area
from polyroc.metrics import vus as vus
from polyroc.metrics import vus2 as vus2
from polyroc.metrics import wvus as wvus
from polyroc.metrics import wvus2 as wvus2
from polyroc.predictions import Predictions as Predictions
from polyroc.report import write_report as write_report
from polyroc.scorers import Scorers
from polyroc.surface import CostSensitiveClassifier as CostSensitiveClassifier
from polyroc.surface import TunedCostClassifierCV as TunedCostClassifierCV

scorers: Scorers
